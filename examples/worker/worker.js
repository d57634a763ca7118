// A memory for each owner: POST /notes, POST /mail, GET /search?q=…, GET /log. In earnest, keep hashes of tokens in a secret.
import { DurableObject } from 'cloudflare:workers';
import { open } from 'memfold';

export class Memory extends DurableObject {
  #memories = open({ storage: { object: this.ctx.storage } });

  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const memories = await this.#memories;
    try {
      switch (`${request.method} ${pathname}`) {
        case 'POST /notes': return Response.json(await memories.add(await request.text()));
        case 'POST /mail': return Response.json(await memories.importMail(request.body));
        case 'GET /search': return Response.json(await memories.search(searchParams.get('q') ?? '', { limit: 5 }));
        case 'GET /log': return Response.json(await memories.log.list({ newestFirst: true, limit: 20 }));
        default: return new Response('not found', { status: 404 });
      }
    } catch ({ code, message, field }) {
      return Response.json({ code, message, field }, { status: 400 });
    }
  }
}

export default {
  fetch(request, env) {
    const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    const owner = Object.hasOwn(env.TOKENS, token) ? env.TOKENS[token] : undefined;
    return owner ? env.MEMORY.getByName(owner).fetch(request) : new Response('who are you?', { status: 401 });
  },
};
