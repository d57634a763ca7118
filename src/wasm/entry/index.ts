// Entry point for browsers: pages, workers and extension service workers.
import { made } from './browser.js';
import type { Face } from './open.js';

/** Opens a memory. The first call loads the engine. */
export const open: Face['open'] = made.open;

/** Loads the engine in advance. */
export const preload: Face['preload'] = made.preload;

/** Decides a pair of drafts as a memory with only `existing` would. Nothing is stored, and no model is called. */
export const compare: Face['compare'] = made.compare;

/**
 * Creates an analyst from an endpoint, for an engine that runs elsewhere, such as in a worker. This page makes the
 * requests, under its own content security policy. On failure, the analyst rejects with an error that has a `refusal`
 * code. Its first question loads the engine here.
 */
export const endpointAnalyst: Face['endpointAnalyst'] = made.endpointAnalyst;

/** Tests an endpoint or analyst with one question about two sample notes; sends none of the user's data. */
export const testEndpoint: Face['testEndpoint'] = made.testEndpoint;

export * from './api.js';
