/** The wasm file as base64. */
declare const bytes: string;
export default bytes;
