// What the copy of the engine in the code is unpacked with, in hosts old and new: fflate, of which this is the smallest part.
export { gunzipSync as unpacked } from 'fflate/browser';
