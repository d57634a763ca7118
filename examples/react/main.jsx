// The engine runs in a worker that all tabs share; the components follow what is written anywhere.
import { useMemories, useSearch } from 'memfold/react';
import { open } from 'memfold/worker';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const memories = open({ name: 'react-notes' });

function Add() {
  const [told, setTold] = useState('');
  const add = async (form) => {
    const { receipts } = await (await memories).add(form.get('note'));
    setTold(receipts.map(({ entry }) => entry.decision).join(', ') || 'nothing worth remembering');
  };
  return (
    <form action={add}>
      <input name="note" aria-label="note" required />
      <button>Remember</button> <output>{told}</output>
    </form>
  );
}

function Found({ question }) {
  const { data = [], pending, error } = useSearch(memories, question, { limit: 5 });
  if (error) return <p role="alert">{error.code}</p>;
  return (
    <ol aria-busy={pending}>
      {data.map(({ memory, score }) => (
        <li key={memory.id}>
          {memory.content} <small>{score.toFixed(2)}</small>
        </li>
      ))}
    </ol>
  );
}

function App() {
  const [question, setQuestion] = useState('');
  const { data } = useMemories(memories, { limit: 100 });
  return (
    <>
      <Add />
      <input type="search" aria-label="question" value={question} onChange={(event) => setQuestion(event.target.value)} />
      <p>{data ? `${data.length} known` : 'opening …'}</p>
      <Found question={question} />
    </>
  );
}

createRoot(document.getElementById('root')).render(<App />);
