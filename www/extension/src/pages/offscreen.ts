// A document that nobody sees, where the worker's questions to Chrome's own model are answered: a worker cannot ask it. It is there
// while a mail is read, whether or not another page of memfold is open.
import { answerModel } from './model';

answerModel();
