// The tools over streamable HTTP, without sessions.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { version } from '../../../pkg/package.json';
import { serverOf, type Act } from '../../cli/tools';

const MOST = 256 * 1_024;

/** Answers one MCP request. */
export async function mcp(request: Request, act: Act): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, maxRequestBodySize: MOST });
  const server = serverOf(act, version);
  await server.connect(transport);
  return transport.handleRequest(request);
}
