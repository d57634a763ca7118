// The chip in an open mail that shows its result in a few words. It takes no layout space.
import type { Outcome } from './messages';

/** The state of a thread, as shown by the chip. */
export type State = { state: 'done'; outcome: Outcome; lacksModel: boolean } | { state: 'working' } | { state: 'paused'; until: number | null };

const WORDS = {
  en: {
    remembered: (n: number) => `${n} remembered`,
    updated: (n: number) => `${n} updated`,
    waiting: (n: number) => `${n} ${n === 1 ? 'needs' : 'need'} a look`,
    orders: 'gives orders to assistants',
    known: 'nothing new',
    nothing: 'nothing to remember',
    working: 'reading…',
    lacksModel: 'without the model',
    paused: 'paused',
    until: (at: string) => `paused until ${at}`,
    printed: 'memfold cannot read the page for the printer. Open the mail in Gmail itself to have it remembered.',
    open: 'memfold: side panel',
    changed: 'memfold cannot read this page. Gmail seems to have changed; nothing was remembered.',
    broken: 'memfold could not start. Your mail is not affected.',
    failed: 'memfold could not read this mail.',
    close: 'Close',
  },
  ko: {
    remembered: (n: number) => `${n}개 기억`,
    updated: (n: number) => `${n}개 갱신`,
    waiting: (n: number) => `${n}개 확인 필요`,
    orders: 'AI에게 지시하는 메일',
    known: '새 내용 없음',
    nothing: '기억할 내용 없음',
    working: '읽는 중…',
    lacksModel: '모델 없이',
    paused: '일시 중지',
    until: (at: string) => `${at}까지 일시 중지`,
    printed: 'memfold는 인쇄용 화면을 읽지 못합니다. 기억하려면 Gmail에서 메일을 여세요.',
    open: 'memfold: 사이드 패널',
    changed: 'memfold가 이 화면을 읽지 못합니다. Gmail이 바뀐 것 같습니다. 아무것도 기억하지 않았습니다.',
    broken: 'memfold를 시작하지 못했습니다. 메일에는 영향이 없습니다.',
    failed: 'memfold가 이 메일을 읽지 못했습니다.',
    close: '닫기',
  },
} as const;
export type Trouble = 'changed' | 'printed' | 'broken' | 'failed';

const STYLE = `
:host { all: initial; position: absolute; z-index: 3; margin-inline-start: 8px; white-space: nowrap; color-scheme: light dark; }
:host([data-trouble='changed']) { position: fixed; inset: auto 16px 16px auto; max-inline-size: min(24rem, 90vw); white-space: normal; }
:host([data-full]) { inset-inline-end: 0; transform: translateY(calc(100% + 4px)); }
div { display: inline-flex; align-items: center; gap: 2px; border-radius: 99px; background: #dff1f4; color: #084c5a; box-shadow: 0 0 0 1px rgb(11 101 119 / 35%); }
:host([data-dark]) div { background: #12313a; color: #a6e4f0; box-shadow: 0 0 0 1px rgb(108 202 219 / 40%); }
:host([data-orders]) div { background: #fdf0db; color: #7a4300; box-shadow: 0 0 0 1px rgb(135 74 0 / 45%); }
:host([data-orders][data-dark]) div { background: #362611; color: #f3bb6b; box-shadow: 0 0 0 1px rgb(243 187 107 / 45%); }
:host([data-trouble]) div { border-radius: 10px; background: #fdebe9; color: #7d1610; box-shadow: 0 0 0 1px rgb(179 38 30 / 40%); }
:host([data-trouble][data-dark]) div { background: #3a1a18; color: #ffb8b1; }
button { all: unset; box-sizing: border-box; min-block-size: 24px; padding: 3px 10px; border-radius: inherit; cursor: pointer;
  font: 500 12px/18px system-ui, 'Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans CJK KR', sans-serif; }
button + button { min-inline-size: 24px; padding-inline: 6px; text-align: center; }
button:hover { text-decoration: underline; }
@media print { :host { display: none !important; } }
button:focus-visible { outline: 2px solid currentcolor; outline-offset: 1px; }
`;

/** When a pause ends: the time, with the date if it is another day. */
function clock(at: number, ko: boolean): string {
  const today = new Date(at).toDateString() === new Date().toDateString();
  const time = new Intl.DateTimeFormat(ko ? 'ko-KR' : 'en-GB', {
    ...(today ? {} : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return time.format(at);
}

/**
 * The text of a state in Gmail's language. Items to review are counted there too, or still
 * unwritten.
 */
export function said(s: State, ko: boolean): string {
  const w = WORDS[ko ? 'ko' : 'en'];
  if (s.state === 'working') return w.working;
  if (s.state === 'paused') return s.until === null ? w.paused : w.until(clock(s.until, ko));
  const { remembered, updated, waiting, known, suspected } = s.outcome;
  const parts = [
    suspected > 0 && w.orders,
    remembered > 0 && w.remembered(remembered),
    updated > 0 && w.updated(updated),
    waiting > suspected && w.waiting(waiting - suspected),
  ].filter(Boolean);
  if (parts.length === 0) parts.push(known > 0 ? w.known : w.nothing);
  return [...parts, s.lacksModel && w.lacksModel].filter(Boolean).join(' · ');
}

/** Whether Gmail uses a dark theme here: by the background or, if transparent, the text colour. */
function isDark(at: Element): boolean {
  const light = (colour: string) => {
    const [r = 0, g = 0, b = 0, a = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
    return a < 0.5 ? undefined : r * 0.3 + g * 0.59 + b * 0.11;
  };
  const text = light(getComputedStyle(at).color);
  return text !== undefined && text > 140;
}

export class Chip {
  #host: HTMLElement | undefined;
  #ground: HTMLElement | undefined;
  #label: HTMLButtonElement | undefined;
  readonly #onOpen: () => void;
  /** Tracks the width without forcing a layout. */
  readonly #room = new ResizeObserver(() => {
    const host = this.#host;
    const parent = host?.parentElement;
    if (!host || !parent || host.dataset.trouble === 'changed') return;
    if (host.getBoundingClientRect().right > parent.getBoundingClientRect().right + 1) host.setAttribute('data-full', '');
  });

  constructor(onOpen: () => void) {
    this.#onOpen = onOpen;
  }

  #made(): { host: HTMLElement; ground: HTMLElement; label: HTMLButtonElement } {
    if (this.#host && this.#ground && this.#label) return { host: this.#host, ground: this.#ground, label: this.#label };
    const host = document.createElement('memfold-chip');
    const root = host.attachShadow({ mode: 'closed' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const ground = document.createElement('div');
    ground.setAttribute('role', 'status');
    const label = document.createElement('button');
    label.type = 'button';
    // Gmail's handlers must not treat it as a click on the subject.
    label.addEventListener('click', (e) => {
      e.stopPropagation();
      if (e.isTrusted) this.#onOpen();
    });
    ground.append(label);
    root.append(ground);
    [this.#host, this.#ground, this.#label] = [host, ground, label];
    return { host, ground, label };
  }

  /** Shows a state after the subject line. */
  say(state: State, at: HTMLElement): void {
    const ko = korean();
    const words = said(state, ko);
    const { host, ground, label } = this.#made();
    delete host.dataset.trouble;
    host.toggleAttribute('data-orders', state.state === 'done' && state.outcome.suspected > 0);
    ground.replaceChildren(label);
    if (label.textContent !== words) label.textContent = words;
    label.setAttribute('aria-label', `${words}. ${WORDS[ko ? 'ko' : 'en'].open}`);
    this.#place(host, at);
  }

  /** Shows a problem after the subject line or, without one, in the corner. */
  trouble(kind: Trouble, at: HTMLElement | undefined): void {
    const w = WORDS[korean() ? 'ko' : 'en'];
    const { host, ground, label } = this.#made();
    host.removeAttribute('data-orders');
    host.dataset.trouble = at ? kind : 'changed';
    label.textContent = w[kind];
    label.removeAttribute('aria-label');
    const close = document.createElement('button');
    close.type = 'button';
    close.textContent = '×';
    close.setAttribute('aria-label', w.close);
    close.addEventListener('click', (e) => {
      e.stopPropagation();
      this.clear();
    });
    ground.replaceChildren(label, close);
    if (at) this.#place(host, at);
    else document.body.append(host);
  }

  #place(host: HTMLElement, at: HTMLElement): void {
    const parent = at.parentElement ?? document.body;
    host.toggleAttribute('data-dark', isDark(at));
    if (host.parentElement === parent) return;
    host.removeAttribute('data-full');
    parent.append(host);
    this.#room.disconnect();
    this.#room.observe(host);
  }

  clear(): void {
    this.#room.disconnect();
    this.#host?.remove();
  }
}

/** Whether Gmail is in Korean. */
const korean = (): boolean => /^ko\b/i.test(document.documentElement.lang || navigator.language);
