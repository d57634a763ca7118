// Pairs to begin with on the evaluation page, in both languages.
import type { Category } from 'memfold';

type Side = { content: string; category: Category; subject?: string; thread?: string; people?: string; entities?: string; day?: string };
export type Example = { kind: 'update' | 'link' | 'skip' | 'create'; existing: Side; next: Side };

const en = {
  content: 'The launch workshop takes place on 12 May at 2 pm in room Cedar.',
  category: 'meeting',
  subject: 'Launch workshop',
  thread: 'launch',
  people: 'dana@example.com',
  entities: 'launch workshop',
  day: '2025-04-28',
} as const;

const ko = {
  content: '출시 워크숍은 5월 12일 오후 2시에 느티나무실에서 진행합니다.',
  category: 'meeting',
  subject: '출시 워크숍',
  thread: 'launch',
  people: 'dana@example.com',
  entities: '출시 워크숍',
  day: '2025-04-28',
} as const;

export const EXAMPLES: Record<'en' | 'ko', readonly Example[]> = {
  en: [
    { kind: 'update', existing: en, next: { ...en, content: 'The launch workshop moves to 4 pm; the room stays the same.', day: '2025-05-02' } },
    {
      kind: 'link',
      existing: { ...en, content: 'The OKRs for Q1 were agreed on.', category: 'decision', subject: 'Q1 OKRs', thread: 'q1', entities: 'Q1 OKRs' },
      next: { ...en, content: 'The OKRs for Q2 were agreed on.', category: 'decision', subject: 'Q2 OKRs', thread: 'q2', entities: 'Q2 OKRs', day: '2025-06-30' },
    },
    { kind: 'skip', existing: en, next: { ...en, content: 'Reminder: the launch workshop is on 12 May at 14:00 in room Cedar.', day: '2025-05-09' } },
    {
      kind: 'create',
      existing: en,
      next: { content: 'The dentist confirmed the appointment for 3 June.', category: 'misc', subject: 'Your appointment', thread: 'dentist', people: 'desk@dentist.example', day: '2025-05-20' },
    },
  ],
  ko: [
    { kind: 'update', existing: ko, next: { ...ko, content: '출시 워크숍 시간이 오후 4시로 바뀌었습니다. 장소는 그대로입니다.', day: '2025-05-02' } },
    {
      kind: 'link',
      existing: { ...ko, content: '1분기 OKR을 확정했습니다.', category: 'decision', subject: '1분기 OKR', thread: 'q1', entities: '1분기 OKR' },
      next: { ...ko, content: '2분기 OKR을 확정했습니다.', category: 'decision', subject: '2분기 OKR', thread: 'q2', entities: '2분기 OKR', day: '2025-06-30' },
    },
    { kind: 'skip', existing: ko, next: { ...ko, content: '[알림] 출시 워크숍은 5월 12일 14시 느티나무실입니다.', day: '2025-05-09' } },
    {
      kind: 'create',
      existing: ko,
      next: { content: '치과 예약이 6월 3일로 확정되었습니다.', category: 'misc', subject: '예약 안내', thread: 'dentist', people: 'desk@dentist.example', day: '2025-05-20' },
    },
  ],
};
