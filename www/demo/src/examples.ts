// Examples for the playground, in both languages.
import type { Written } from './playground/scene';

export const KINDS = ['update', 'link', 'skip', 'create', 'several', 'own', 'fraud'] as const;
export type ExampleKind = (typeof KINDS)[number];
export type Example = { first: Partial<Written>; next: Partial<Written> };

const mail = (from: string, subject: string, day: string, text: string, answers = false): Partial<Written> => ({
  kind: 'mail',
  from,
  subject,
  day,
  text,
  answers,
});
const note = (day: string, text: string): Partial<Written> => ({ kind: 'note', day, text });

const workshop = mail(
  'Dana Reed <dana@example.com>',
  'Launch workshop',
  '2026-04-28',
  'Hi,\n\nthe launch workshop takes place on 12 May at 2 pm in room Cedar, with a budget of 3,000 euros.\n\nBest,\nDana',
);
const invoice = mail(
  'Kiln & Clay <orders@kilnandclay.example>',
  'Order KC-4417',
  '2026-05-04',
  'Thank you for order KC-4417. The invoice of £480 is due by 15 May. Please pay into account 12345678 at Harbour Bank.',
);
const gathering = mail(
  '한도윤 <doyun@example.com>',
  '출시 워크숍',
  '2026-04-28',
  '안녕하세요.\n\n출시 워크숍은 5월 12일 오후 2시에 느티나무실에서 진행합니다. 예산은 300만원입니다.\n\n한도윤 드림',
);
const bill = mail(
  '흙가마 <order@heukgama.example>',
  '주문 HG-4417',
  '2026-05-04',
  '주문 HG-4417 감사합니다. 청구 금액 480,000원을 5월 15일까지 하나은행 123-456789-01 계좌로 입금해 주세요.',
);

export const EXAMPLES: Record<'en' | 'ko', Record<ExampleKind, Example>> = {
  en: {
    update: {
      first: workshop,
      next: mail('Dana Reed <dana@example.com>', 'Re: Launch workshop', '2026-05-02', 'The launch workshop moves to 4 pm; the room stays the same.', true),
    },
    link: {
      first: note('2026-02-20', 'The first choir rehearsal is on 3 March at 7 pm.'),
      next: note('2026-03-04', 'The second choir rehearsal is on 10 March at 7 pm.'),
    },
    skip: {
      first: workshop,
      next: mail(
        'Dana Reed <dana@example.com>',
        'Re: Launch workshop',
        '2026-05-09',
        'Reminder: the launch workshop is on 12 May at 14:00 in room Cedar.',
        true,
      ),
    },
    create: {
      first: workshop,
      next: mail(
        'Front desk <desk@dentist.example>',
        'Your appointment',
        '2026-05-20',
        'Your check-up is on 3 June at 10:30. Please bring your insurance card.',
      ),
    },
    several: {
      first: workshop,
      next: mail(
        'Dana Reed <dana@example.com>',
        'Re: Launch workshop',
        '2026-05-02',
        'The launch workshop moves to 4 pm.\n\nAnd please send me the list of guests by 8 May.',
        true,
      ),
    },
    own: {
      first: note('2026-04-20', 'The budget of the summer fair is £600.'),
      next: mail('Sam Ortiz <sam@example.net>', 'Summer fair', '2026-05-06', 'The budget of the summer fair is £900 now.'),
    },
    fraud: {
      first: invoice,
      next: mail(
        'Kiln & Clay <orders@kiln-and-clay.example>',
        'Order KC-4417',
        '2026-05-06',
        'Our bank account has changed. Please pay the invoice for order KC-4417 into account 87654321 at Quick Bank.',
      ),
    },
  },
  ko: {
    update: {
      first: gathering,
      next: mail('한도윤 <doyun@example.com>', 'Re: 출시 워크숍', '2026-05-02', '출시 워크숍 시간이 오후 4시로 바뀌었습니다. 장소는 그대로입니다.', true),
    },
    link: { first: note('2026-03-31', '1분기 OKR을 확정했습니다.'), next: note('2026-06-30', '2분기 OKR을 확정했습니다.') },
    skip: {
      first: gathering,
      next: mail('한도윤 <doyun@example.com>', 'Re: 출시 워크숍', '2026-05-09', '[알림] 출시 워크숍은 5월 12일 14시 느티나무실입니다.', true),
    },
    create: {
      first: gathering,
      next: mail(
        '바른치과 <desk@dentist.example>',
        '예약 안내',
        '2026-05-20',
        '정기 검진 예약이 6월 3일 오전 10시 30분으로 확정되었습니다. 신분증을 가져와 주세요.',
      ),
    },
    several: {
      first: gathering,
      next: mail(
        '한도윤 <doyun@example.com>',
        'Re: 출시 워크숍',
        '2026-05-02',
        '출시 워크숍 시간이 오후 4시로 바뀌었습니다.\n\n그리고 참석자 명단을 5월 8일까지 보내 주세요.',
        true,
      ),
    },
    own: {
      first: note('2026-04-20', '여름 장터 예산은 60만원이다.'),
      next: mail('오세민 <sem@example.net>', '여름 장터', '2026-05-06', '여름 장터 예산이 이제 90만원입니다.'),
    },
    fraud: {
      first: bill,
      next: mail(
        '흙가마 <order@heuk-gama.example>',
        '주문 HG-4417',
        '2026-05-06',
        '입금 계좌가 변경되었습니다. 주문 HG-4417 대금은 새 계좌 987-654321-09 빠른은행으로 보내 주세요.',
      ),
    },
  },
};
