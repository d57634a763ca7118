/** A file of this release: the hash in its header, and its stored size. */
export interface Released {
  sha256: string;
  bytes: number;
}
/** The weights of this release and its optional head. */
declare const files: { weights: Released; head?: Released };
export default files;
