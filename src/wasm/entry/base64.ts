// Bytes that stand in the code as text.
export const decoded = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
