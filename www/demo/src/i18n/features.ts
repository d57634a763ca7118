// The local analyst's features in words, by their stable codes.

export const features = {
} as const satisfies Record<string, readonly [string, string]>;
