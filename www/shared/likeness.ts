// Whether an address only looks like one that is known, as whoever means to rob somebody chooses it. It settles nothing.

/** Letters of a name, below which any two may look alike. */
const FEW = 5;

const hostOf = (address: string): string => address.toLowerCase().split('@').at(-1) ?? '';

/** What the eye sees of a host's name, without the last part: letters that look alike are one. */
const seen = (host: string): string =>
  host.replace(/\.[^.]*$/, '').replace(/[^\p{L}\p{N}]/gu, '').replaceAll('0', 'o').replace(/[1i|]/g, 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');

/** Whether two names are the same but for one letter: another, one more or two that changed places. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const [restA, restB] = [a.slice(from), b.slice(from)];
  const swapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return swapped || restA.slice(1) === restB.slice(1) || restA === restB.slice(1) || restA.slice(1) === restB;
}

/** The known address that another one looks like and is not. */
export function lookAlike(address: string, known: readonly string[]): string | undefined {
  const host = hostOf(address);
  const own = seen(host);
  return known.find((one) => {
    const other = seen(hostOf(one));
    if (hostOf(one) === host || own.length < FEW || other.length < FEW) return false;
    // A word more makes another name of it: shop.example and shop-pay.example.
    return isNear(own, other) || own.startsWith(other);
  });
}
