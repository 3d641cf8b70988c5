// Conversations with servers, by clients of the TypeScript SDK: `node client.mjs FOLDER`, where its packages are below
// FOLDER. What to do comes as JSON on stdin, and what came of it goes as JSON to stdout. All conversations go on at the
// same time, the steps of each one after the other.
//
// A conversation: { sdk: 1 or 2, options of its client, server: { command, args, env } or { url, headers }, steps }.
// A step: { name, arguments } is a call; { together: [call, ...] } are calls at the same time;
// { stop: call } is a call that is cancelled as soon as it tells of progress.

import { createRequire } from "node:module";
import { json } from "node:stream/consumers";

const load = createRequire(`${process.argv[2]}/package.json`);
const SDKS = {
  1: () => ({
    ...load("@modelcontextprotocol/sdk/client/index.js"),
    ...load("@modelcontextprotocol/sdk/client/stdio.js"),
    ...load("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    call: (client, params, options) => client.callTool(params, undefined, options),
    misfit: () => undefined, // it checks results by itself, those that tell of errors too
  }),
  2: () => {
    const { AjvJsonSchemaValidator } = load("@modelcontextprotocol/client/validators/ajv");
    const ajv = new AjvJsonSchemaValidator();
    return {
      ...load("@modelcontextprotocol/client"),
      ...load("@modelcontextprotocol/client/stdio"),
      call: (client, params, options) => client.callTool(params, options),
      misfit: (schema, value) => ajv.getValidator(schema)(value).errorMessage,
    };
  },
};

const failure = ({ name, code, message, data }) => ({ failure: { name, code, message, data } });

async function converse({ sdk, options, server, steps }) {
  const { Client, StdioClientTransport, StreamableHTTPClientTransport, call, misfit } = SDKS[sdk]();
  const client = new Client({ name: "suture's tests", version: "1" }, options);
  const transport = server.url
    ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
    : new StdioClientTransport(server);
  const troubles = [];
  client.onerror = (error) => troubles.push(`${error.message} ${error.cause ?? ""}`.trim());
  try {
    await client.connect(transport);
  } catch (error) {
    await client.close();
    return failure(error);
  }
  const { tools } = await client.listTools();
  const schemas = Object.fromEntries(tools.map(({ name, outputSchema }) => [name, outputSchema]));

  async function ask(params, options) {
    try {
      const result = await call(client, params, options);
      const structured = result.structuredContent;
      return { ...result, misfit: structured && misfit(schemas[params.name], structured) };
    } catch (error) {
      return failure(error);
    }
  }

  async function stop(params) {
    const control = new AbortController();
    const progress = [];
    const onprogress = (told) => {
      progress.push(told);
      control.abort("enough");
      client.onerror = undefined; // what is under way still comes
    };
    return { ...(await ask(params, { signal: control.signal, onprogress })), progress };
  }

  const answers = [];
  for (const step of steps) {
    if (step.together) answers.push(await Promise.all(step.together.map((each) => ask(each))));
    else answers.push(await (step.stop ? stop(step.stop) : ask(step)));
  }
  client.onerror = undefined; // it may complain that we leave
  const found = {
    revision: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    tools,
    answers,
    troubles,
  };
  await client.close();
  return found;
}

const found = await Promise.all((await json(process.stdin)).map(converse));
process.stdout.write(JSON.stringify(found));
