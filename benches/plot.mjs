// The plot of history.jsonl: each figure relative to its first line. Its colours can be read on a light and on a dark page.
const COLOURS = { pair: '#4e8fd0', search: '#d08a2e', decision: '#46a06a', opening: '#b76ac4', import: '#d0605e', kilobytes: '#8a8f98' };
const NAMES = { pair: 'a pair', search: 'a search', decision: 'a decision', opening: 'opening', import: 'import', kilobytes: 'size of the file' };
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 340, 52, 150, 16, 44];

/** The lines of the history as an SVG. */
export function plot(lines) {
  const names = Object.keys(NAMES);
  const relative = (line, name) => line.figures[name] / lines[0].figures[name];
  const all = lines.flatMap((line) => names.map((name) => relative(line, name)));
  const low = Math.min(0.75, Math.floor(Math.min(...all) * 4) / 4);
  const high = Math.max(1.25, Math.ceil(Math.max(...all) * 4) / 4);
  const x = (n) => LEFT + (n * (WIDTH - LEFT - RIGHT)) / Math.max(1, lines.length - 1);
  const y = (value) => TOP + ((high - value) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const parts = [];
  for (let value = low; value <= high; value += 0.25) {
    parts.push(
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#8a8f98" stroke-opacity="${value === 1 ? 0.9 : 0.3}"/>`,
      `<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${(value * 100).toFixed(0)} %</text>`,
    );
  }
  // At most eight names of commits fit below the axis.
  const every = Math.ceil(lines.length / 8);
  lines.forEach((line, n) => {
    if (n % every === 0)
      parts.push(
        `<text x="${x(n)}" y="${HEIGHT - 24}" text-anchor="middle">${line.commit}</text>`,
        `<text x="${x(n)}" y="${HEIGHT - 8}" text-anchor="middle">${line.date}</text>`,
      );
  });
  // Labels beside the last values, pushed apart.
  let last = Number.NEGATIVE_INFINITY;
  const ends = names.map((name) => ({ name, end: y(relative(lines.at(-1), name)) })).sort((a, b) => a.end - b.end);
  for (const { name, end } of ends) {
    last = Math.max(end, last + 16);
    const points = lines.map((line, n) => `${x(n).toFixed(1)},${y(relative(line, name)).toFixed(1)}`);
    const dots = points.map((point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3"/>`).join('');
    parts.push(
      `<g fill="${COLOURS[name]}"><polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[name]}" stroke-width="2"/>${dots}` +
        `<text x="${WIDTH - RIGHT + 12}" y="${last + 4}">${NAMES[name]} ${(100 * relative(lines.at(-1), name)).toFixed(0)} %</text></g>`,
    );
  }
  const title = '<title>Speed and size of each measured commit, relative to the first</title>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="12" fill="#8a8f98">${title}\n${parts.join('\n')}\n</svg>\n`;
}
