// How a failure of the engine reaches the page, by whichever way the engine is asked.
import type { Fault } from './protocol';

/** A failure with the engine's stable code; words for it are in the message catalogue. */
export class EngineError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly field: string | undefined;
  constructor(fault: Fault) {
    super(fault.message);
    this.name = 'EngineError';
    this.code = fault.code;
    this.retryable = fault.retryable;
    this.field = fault.field;
  }
}
