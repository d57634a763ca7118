// The bindings of the encoder as the build lays them out: of one instance each.
import type * as made from './encoder-generated.js';

export type Encoder = made.Encoder;

export default function bindings(): Pick<typeof made, 'Encoder' | 'initSync'>;
