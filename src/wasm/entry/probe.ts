// Endpoint tests: the engine asks and evaluates; this module finds out why a browser got no response.
import type { Signal } from './host.js';
import { invalid, split } from './arguments.js';
import type { Ready } from './engine.js';
import { typed } from './error.js';
import { analystPort, endpointPort, type Endpoint, type EndpointReport, type ModelAnalyst } from './model.js';

/** The default timeout in milliseconds. */
const PATIENCE = 60_000;

/** Why there was no response; browsers do not report the reason directly. */
async function findObstacle(at: URL, blocked: boolean): Promise<'blocked' | 'mixed_content' | 'cors' | 'unreachable'> {
  if (blocked) return 'blocked';
  if (typeof globalThis.location !== 'object') return 'unreachable';
  if (location.protocol === 'https:' && at.protocol === 'http:') return 'mixed_content';
  try {
    // An opaque request without credentials, only to see whether the host responds at all.
    await fetch(at.origin, { mode: 'no-cors', credentials: 'omit', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(5_000) });
    return 'cors';
  } catch {
    return 'unreachable';
  }
}

/** Removes details that were not tested: all without a reply, and most for a reply of the wrong form. */
function withoutUntested({ features, ...report }: EndpointReport): EndpointReport {
  if (report.ok || features === undefined) return features ? { ...report, features } : report;
  if (report.code !== 'wrong_form') return report;
  const { temperature, tokens } = features;
  const [rule] = report.detail.split(':', 1);
  return { ...report, ...(rule && { rule }), features: { ...(temperature !== undefined && { temperature }), tokens } };
}

/**
 * Tests a model with one question. Invalid endpoint options are part of the report.
 * @internal
 */
export async function probe(model: Endpoint | ModelAnalyst, options: { signal?: Signal; timeout?: number }, ready: Ready): Promise<EndpointReport> {
  const [{ timeout = PATIENCE }, signal] = split(options);
  if (!(Number.isFinite(timeout) && timeout > 0)) throw invalid('timeout', 'is not a number of milliseconds above 0');
  let message = '';
  let port: object | undefined;
  if (typeof model === 'function') {
    const analyst: ModelAnalyst = async (...asked) => {
      try {
        return await model(...asked);
      } catch (error) {
        const said = error as { refusal?: string; message?: string } | undefined;
        if (said?.refusal === undefined) message = String(said?.message ?? '').slice(0, 300);
        throw error;
      }
    };
    port = analystPort(analyst, timeout, 'timeout');
  }
  let blocked = false;
  const onBlocked = ({ blockedURI }: SecurityPolicyViolationEvent) => {
    blocked ||= typeof model !== 'function' && URL.canParse(model.url) && blockedURI.startsWith(new URL(model.url).origin);
  };
  globalThis.addEventListener?.('securitypolicyviolation', onBlocked);
  try {
    if (typeof model !== 'function') port = endpointPort(model ?? null, timeout, 'timeout');
    const instance = await ready();
    const report = withoutUntested((await instance.call(() => instance.engine.probeModel(port!, signal))) as EndpointReport);
    if (report.code === 'unreachable' && typeof model !== 'function') return { ...report, code: await findObstacle(new URL(model.url), blocked) };
    return report.code === 'failed' ? { ...report, detail: message } : report;
  } catch (error) {
    const { code, message: detail, field } = typed(error);
    if (!['invalid_field', 'unknown_field'].includes(code) || typeof model === 'function' || field === undefined) throw error;
    return { ok: false, code: /must use https/.test(detail) ? 'insecure' : 'invalid', detail, field, ms: 0 };
  } finally {
    globalThis.removeEventListener?.('securitypolicyviolation', onBlocked);
  }
}
