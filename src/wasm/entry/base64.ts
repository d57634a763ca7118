// Decodes base64 to bytes.
export const decoded = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
