// Writes the lists of domains that src/model/address.rs reads, from the files of their makers:
// node .ci/domains.mjs PUBLIC_SUFFIX_LIST.dat 20_aux_tlds.cf FREE_MAIL.json|.cf…
//
// The first is Mozilla's (https://publicsuffix.org, also in the packages publicsuffixlist of PyPI and psl of npm), the second and
// the lists *.cf are those of Debian's package spamassassin, the lists *.json are those of the npm packages
// free-email-domains and email-providers. The sources and their versions are named in SOURCES.md beside the lists.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [suffixes, hosted, ...free] = process.argv.slice(2);
if (free.length === 0) {
  console.error('usage: node .ci/domains.mjs PUBLIC_SUFFIX_LIST.dat 20_aux_tlds.cf FREE_MAIL.json|.cf…');
  process.exit(2);
}
const words = (file, names) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) =>
      line
        .replace(/(#|\/\/).*/, '')
        .trim()
        .split(/\s+/),
    )
    .filter(([first]) => first && (!names || names.includes(first)))
    .flatMap((line) => (names ? line.slice(1) : line.slice(0, 1)));
const isDomain = (name) => /^(?:\*\.[\p{L}\p{N}\p{M}_-]+|!?[\p{L}\p{N}\p{M}_-]+(?=\.))(?:\.[\p{L}\p{N}\p{M}_-]+)*$/u.test(name);

const listed = words(suffixes).map((name) => name.toLowerCase());
// A rule of one label says what holds of every other top-level domain, too.
const rules = new Set([...listed, ...words(hosted, ['util_rb_2tld', 'util_rb_3tld']).map((n) => n.toLowerCase())].filter(isDomain));
const tops = new Set([...listed.filter((name) => /^[\p{L}\p{N}\p{M}-]+$/u.test(name)), 'example', 'test', 'invalid', 'local', 'internal', 'onion']);
const suffixOf = (labels) => labels.findIndex((_, i) => rules.has(labels.slice(i).join('.')) || rules.has(['*', ...labels.slice(i + 1)].join('.')));

const all = free.flatMap((file) => (file.endsWith('.json') ? JSON.parse(readFileSync(file, 'utf8')) : words(file, ['freemail_domains'])));
const hosts = new Set(all.map((name) => name.toLowerCase()).filter((name) => isDomain(name) && !name.includes('*')));
// Of the names under one domain that is listed, that is enough; those on a rented host belong to who rents them.
const isApart = (name) => {
  const labels = name.split('.');
  const at = suffixOf(labels);
  const own = at < 0 ? 2 : labels.length - at + 1;
  return labels.length <= Math.max(own, 2) || !labels.some((_, i) => i > 0 && labels.length - i >= 2 && hosts.has(labels.slice(i).join('.')));
};

const write = (name, what, lines) =>
  writeFileSync(
    fileURLToPath(new URL(`../src/model/data/${name}`, import.meta.url)),
    `# ${what}; made by .ci/domains.mjs, sources in SOURCES.md.\n${[...lines].sort().join('\n')}\n`,
  );
write('public_suffixes.txt', 'Domains under which anybody may register one', rules);
write('top_levels.txt', 'Top-level domains', tops);
write('free_mail.txt', 'Domains where anybody may have an address', [...hosts].filter(isApart));
