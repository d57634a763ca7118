/** The encoder's wasm file, packed, as base64. */
declare const packed: string;
export default packed;
