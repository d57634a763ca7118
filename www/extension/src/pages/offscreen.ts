// The offscreen document that runs Chrome's model and the encoder, which a service worker cannot.
// It exists even if no other page is open.
import { answerEncoder } from './encoder';
import { answerModel } from './model';

answerModel();
answerEncoder();
