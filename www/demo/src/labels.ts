// Pairs that the reader marked as wrongly decided, in the format of the labelled data, kept in localStorage.
import { signal } from '@preact/signals';
import type { Category, PropertyChange, Relation, Source } from 'memfold';
import type { Conflict, Relationship, StoredDraft } from '../../shared/types';
import { langOf } from '../../shared/i18n';

export type Expected = 'SKIP' | 'UPDATE' | 'CREATE_AND_LINK' | 'CREATE';

type Side = {
  content: string;
  category: Category;
  subject: string | null;
  threadId: string | null;
  people: string[];
  entities: string[];
  occurredAt: string | null;
  sourceType: Source;
};

export type Label = {
  id: string;
  lang: 'en' | 'ko';
  domain: string;
  hard: boolean;
  existing: Side;
  new: Side;
  expected: Expected;
  sameSubject: boolean;
  subjectA: string;
  subjectB: string;
  relationship: Relationship;
  relationshipType: Relation | null;
  propertyChanges: { property: string; oldValue: string | null; newValue: string | null; changeType: PropertyChange['changeType'] }[];
  conflict: Conflict;
  reasoning: string;
};

export type Correction = {
  expected: Expected;
  relation?: Relation;
  contradiction?: boolean;
  property?: string;
  oldValue?: string;
  newValue?: string;
  reasoning?: string;
  subjectA?: string;
  subjectB?: string;
};

const KEY = 'memfold-labels';

function read(): Label[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? (value as Label[]) : [];
  } catch {
    return [];
  }
}

export const labels = signal<readonly Label[]>(read());

function put(next: readonly Label[]): void {
  labels.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Storage is blocked: the pairs can still be exported from this page.
  }
}

const side = (d: StoredDraft): Side => ({
  content: d.content,
  category: d.category ?? 'misc',
  subject: d.subject ?? null,
  threadId: d.threadId ?? null,
  people: d.people ?? [],
  entities: d.entities ?? [],
  occurredAt: d.occurredAt ?? d.statedAt ?? null,
  sourceType: d.sourceType ?? 'realtime',
});

const BY_RELATION: Record<Relation, [Relationship, Conflict]> = {
  sequential: ['sequential', 'NONE'],
  causal: ['causal', 'NONE'],
  prerequisite: ['causal', 'NONE'],
  reference: ['reference', 'NONE'],
  elaboration: ['hierarchical', 'OVERLAP'],
  alternative: ['thematic', 'OVERLAP'],
};

function conventions(c: Correction): Pick<Label, 'relationship' | 'relationshipType' | 'conflict' | 'propertyChanges'> {
  switch (c.expected) {
    case 'SKIP':
      return { relationship: 'identical', relationshipType: null, conflict: 'OVERLAP', propertyChanges: [] };
    case 'CREATE':
      return { relationship: 'unrelated', relationshipType: null, conflict: 'NONE', propertyChanges: [] };
    case 'CREATE_AND_LINK': {
      const type = c.relation ?? 'reference';
      const [relationship, conflict] = BY_RELATION[type];
      return { relationship, relationshipType: type, conflict, propertyChanges: [] };
    }
    case 'UPDATE': {
      const oldValue = c.oldValue?.trim() || null;
      const newValue = c.newValue?.trim() || null;
      const changeType = oldValue === null ? 'addition' : newValue === null ? 'removal' : 'value_change';
      const stated = oldValue !== null || newValue !== null;
      return {
        relationship: 'identical',
        relationshipType: null,
        conflict: c.contradiction ? 'CONTRADICTION' : 'UPDATE',
        propertyChanges: stated ? [{ property: c.property?.trim() || 'value', oldValue, newValue, changeType }] : [],
      };
    }
  }
}

/** Stores a corrected pair; defaults of the labelled data fill in what the reader was not asked. */
export function addLabel(existing: StoredDraft, next: StoredDraft, c: Correction): void {
  const same = c.expected === 'UPDATE' || c.expected === 'SKIP';
  put([
    ...labels.value,
    {
      id: `user-${Date.now().toString(36)}-${labels.value.length + 1}`,
      lang: langOf(`${existing.content} ${next.content}`),
      domain: 'user',
      hard: true,
      existing: side(existing),
      new: side(next),
      expected: c.expected,
      sameSubject: same,
      subjectA: c.subjectA ?? '',
      subjectB: c.subjectB ?? '',
      ...conventions(c),
      reasoning: c.reasoning?.trim() ?? '',
    },
  ]);
}

export const clearLabels = (): void => put([]);

export const labelsAsLines = (): string => labels.value.map((l) => `${JSON.stringify(l)}\n`).join('');
