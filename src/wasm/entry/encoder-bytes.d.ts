/** The encoder's wasm file, gzipped, as base64. */
declare const packed: string;
export default packed;
