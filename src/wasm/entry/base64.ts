// Converts between base64 and bytes.
export const decoded = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

export function encoded(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}
