// For browsers: pages, workers and extension service workers.
import { made } from './browser.js';
import type { Face } from './open.js';

/** Opens a memory. The engine is loaded by the first call. */
export const open: Face['open'] = made.open;

/** Loads the engine ahead of the first call. */
export const preload: Face['preload'] = made.preload;

/** Decides a single pair as a memory that holds nothing but `existing` would. Nothing is stored, nobody is asked. */
export const compare: Face['compare'] = made.compare;

/**
 * The analyst that an endpoint is, where the engine runs in one place (a worker) and requests are made in another (the page,
 * whose content security policy bounds them). It rejects with an error that has a `refusal`, a code for the log. It makes its
 * requests by the engine, which its first question loads.
 */
export const endpointAnalyst: Face['endpointAnalyst'] = made.endpointAnalyst;

/** Asks an endpoint, or an analyst of the application, one question about two made-up notes; nothing of the user's is sent. */
export const testEndpoint: Face['testEndpoint'] = made.testEndpoint;

export * from './api.js';
