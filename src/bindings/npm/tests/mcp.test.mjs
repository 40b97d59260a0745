// The middleware between a client and a server of the SDK of MCP.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Gate, Policy } from "tsl-synth";
import { guard } from "tsl-synth/mcp";
import { z } from "zod";
import { SHOP } from "./policies.mjs";

const policy = Policy.parse(SHOP);

/** A client and what its server did, with the gate at one side. */
async function connected(side, own = policy, options = {}) {
  const done = [];
  const server = new McpServer({ name: "shop", version: "1" });
  const add = (name, act) =>
    server.registerTool(name, { inputSchema: { account: z.number() } }, async ({ account }) => {
      const text = await act(account);
      done.push([name, account]);
      return { content: [{ type: "text", text }] };
    });
  add("refund", (account) => {
    if (account === 0) throw new Error("no money");
    return "refunded";
  });
  add("close_account", () => "closed");
  add("wipe", () => "wiped");
  add("unknown_tool", () => "done");
  const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "agent", version: "1" });
  const notes = [];
  const behind = (transport) => guard(transport, own, { server: "shop", side, note: (text) => notes.push(text), ...options });
  await server.connect(side === "server" ? behind(ofServer) : ofServer);
  await client.connect(side === "client" ? behind(ofClient) : ofClient);
  const call = async (name, account) => {
    const { content, isError } = await client.callTool({ name, arguments: { account } });
    return [isError === true, content[0].text];
  };
  return { call, client, done, server, notes };
}

for (const side of ["server", "client"]) {
  test(`calls are decided at the side of the ${side}`, async () => {
    const { call, client, done } = await connected(side);
    const [isError, reason] = await call("close_account", 7);
    assert(isError && /Denied by refund-first/.test(reason), reason);
    assert.deepEqual(done, []);
    assert.equal((await call("refund", 0))[0], true);
    assert.equal((await call("close_account", 7))[0], true, "a refund that failed is none");
    assert.deepEqual(await call("refund", 7), [false, "refunded"]);
    assert.deepEqual(await call("close_account", 7), [false, "closed"]);
    assert.match((await call("wipe", 7))[1], /wiped-by-persons/);
    assert.equal((await call("unknown_tool", 7))[0], true);
    assert.deepEqual(done, [["refund", 7], ["close_account", 7]]);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ["refund", "close_account", "wipe"]);
    await client.close();
  });

  test(`concurrent calls at the side of the ${side}`, async () => {
    const { call, done } = await connected(side);
    const read = await Promise.all([call("close_account", 1), call("refund", 1), call("close_account", 2)]);
    assert.deepEqual(read.map(([isError]) => isError), [true, false, true], "the refund has no result yet");
    assert.deepEqual(done, [["refund", 1]]);
  });

  test(`a gate that fails lets no call through at the side of the ${side}`, async () => {
    const gate = new Gate(policy);
    const { client, done } = await connected(side, gate);
    const { parse } = JSON;
    JSON.parse = () => {
      throw new Error("broken");
    };
    try {
      await assert.rejects(client.callTool({ name: "refund", arguments: { account: 1 } }));
    } finally {
      JSON.parse = parse;
    }
    assert.deepEqual(done, []);
  });
}

test("a session of a gate is that of the transport", async () => {
  const gate = new Gate(policy);
  gate.commit(gate.propose("refund", { account: 7 }).ticket);
  const { call, client } = await connected("server", gate);
  assert.deepEqual(await call("close_account", 7), [false, "closed"]);
  assert.equal(gate.end().allowed, true);
  await client.close();
});

test("shadow mode lets everything through", async () => {
  const { call, client } = await connected("server", policy, { shadow: true });
  assert.deepEqual(await call("close_account", 7), [false, "closed"]);
  assert.equal((await client.listTools()).tools.length, 4);
});

test("calls that were not answered have an unknown outcome", async () => {
  const gate = new Gate(policy);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const transport = guard(far, gate, { server: "shop" });
  transport.onmessage = () => undefined;
  await transport.start();
  await near.start();
  await near.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "refund", arguments: { account: 7 } } });
  await transport.close();
  assert.equal(gate.propose("close_account", { account: 7 }).allowed, false);
});
