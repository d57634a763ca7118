// Processes by what Linux tells of them in /proc: their CPU time, their memory, and which belong to a browser's profile.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Of a kernel: 100 on every common Linux. */
const TICKS_A_SECOND = 100;

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
};
const fields = (pid) =>
  read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
export const commandOf = (pid) => read(`/proc/${pid}/cmdline`).split('\0').join(' ');

/** All processes as `[pid, parent]`. */
function pairs() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(fields(name)[1])]);
}

/** A process and all that it has started, and they. */
export function family(root) {
  const all = pairs();
  const found = [root];
  for (let at = 0; at < found.length; at += 1) for (const [pid, parent] of all) if (parent === found[at]) found.push(pid);
  return found;
}

/** CPU seconds of processes so far, with those of their children that have ended. */
export function cpuSeconds(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const [user, system, endedUser, endedSystem] = fields(pid).slice(11, 15).map(Number);
    if (user >= 0) ticks += user + system + endedUser + endedSystem;
  }
  return ticks / TICKS_A_SECOND;
}

const kilobytes = (pid, name) => Number(new RegExp(`${name}:\\s*(\\d+) kB`).exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
/** Bytes that a process shares with none: what Chromium's task manager shows. */
export const privateBytes = (pid) => kilobytes(pid, 'RssAnon') * 1024;

/** Processes of the Chromium over a profile: the browser, and those of a type such as `renderer`. */
export function chromium(profile) {
  const browser = pairs().find(([pid]) => {
    const command = commandOf(pid);
    return command.includes(`--user-data-dir=${profile}`) && !command.includes('--type=') && !/^(?:\/bin\/)?sh /.test(command);
  })?.[0];
  if (browser === undefined) throw new Error('no Chromium runs over the profile');
  const typed = (type) => family(browser).filter((pid) => commandOf(pid).includes(`--type=${type}`));
  return { browser, typed };
}

/** Bytes of a file, or of all files of a folder. */
export function bytesOf(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
