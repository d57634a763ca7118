// The encoder's bindings after the build step: each call creates a separate instance.
import type * as made from './encoder-generated.js';

export type Encoder = made.Encoder;

export default function bindings(): Pick<typeof made, 'Encoder' | 'initSync'>;
