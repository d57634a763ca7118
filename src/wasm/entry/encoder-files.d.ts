/** A file of this release: the hash that it names, and its size as it is stored. */
export interface Released {
  sha256: string;
  bytes: number;
}
/** The weights and, where there is one, the head of this release. */
declare const files: { weights: Released; head?: Released };
export default files;
