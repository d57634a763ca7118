// A document that nobody sees, where the worker's questions to Chrome's own model and to the encoder are answered: a worker can run neither.
// It is there whether or not another page of memfold is open.
import { answerEncoder } from './encoder';
import { answerModel } from './model';

answerModel();
answerEncoder();
