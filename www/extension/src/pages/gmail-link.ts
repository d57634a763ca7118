// Links from a memory to its mail in Gmail, by Gmail's id or by the message id.
import { setMailAccess } from '../../../shared/mails';

/** A mail built from Gmail's page is named by its Gmail id. */
const NUMBERED = /^<gmail-(\d{1,20})@mail\.gmail\.com>$/;

export function linkOf(source: string, account: string | undefined): string | undefined {
  const [, number] = NUMBERED.exec(source) ?? [];
  const place = number
    ? `all/${BigInt(number).toString(16)}`
    : /^<[^<>]+>$/.test(source)
      ? `search/${encodeURIComponent(`rfc822msgid:${source.slice(1, -1)}`)}`
      : undefined;
  return place && `https://mail.google.com/mail/${account ? `?authuser=${encodeURIComponent(account)}` : ''}#${place}`;
}

/** Makes source links open Gmail in the last open account. */
export function reachGmail(): void {
  let account: string | undefined;
  const learn = async (): Promise<void> => {
    const stored = (await chrome.storage.session.get()) as Record<string, { account?: string; at?: number }>;
    account = Object.entries(stored)
      .flatMap(([key, tab]) => (key.startsWith('tab:') ? [tab] : []))
      .sort((a, b) => (b.at ?? 0) - (a.at ?? 0))[0]?.account;
  };
  void learn().catch(() => undefined);
  chrome.storage.session.onChanged.addListener(() => void learn().catch(() => undefined));
  setMailAccess({ link: (source) => linkOf(source, account) });
}
