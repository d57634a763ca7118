// Two sample mailboxes of invented people.
import { loaded } from '../../shared/engine/error';
import enUrl from '../samples/en.mbox?url';
import koUrl from '../samples/ko.mbox?url';

export const SAMPLES = {
  en: { url: enUrl, owner: 'nora@bellpottery.example', file: 'Nora Bell.mbox' },
  ko: { url: koUrl, owner: 'nara@nara-pottery.example', file: '배나라.mbox' },
} as const;
export type SampleName = keyof typeof SAMPLES;

/** Shifts a sample to the reader's zone: "at two" means two o'clock here. */
function here(text: string): string {
  const zone = (day: string): string => {
    const offset = -new Date(`${day} 12:00`).getTimezoneOffset();
    const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
    return `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}${two(Math.abs(offset) % 60)}`;
  };
  return text.replace(/^(Date: \w+, (\d+ \w+ \d+) [\d:]+) [+-]\d{4}/gm, (_, before: string, day: string) => `${before} ${zone(day)}`);
}

export async function sampleMail(name: SampleName): Promise<File> {
  const { url, file } = SAMPLES[name];
  const text = await loaded(
    fetch(url).then((answer) => {
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      return answer.text();
    }),
  );
  // A fixed time identifies the same file.
  return new File([here(text)], file, { lastModified: 0 });
}
