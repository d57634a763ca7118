import type { Kernel } from './kernels.js';

/** The kernels, the fastest first. */
declare const kernels: Kernel[];
export default kernels;
