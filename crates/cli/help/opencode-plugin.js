// Written by `lore hook install --agent opencode`; `lore hook remove` takes it away.
// Adds what lore knows of a symbol, a file or a search to the results of opencode's
// own tools. Says nothing when lore has nothing to say, or is not there.
import { spawn } from "node:child_process"

const ask = (event, input) =>
  new Promise((done) => {
    let text = ""
    const child = spawn("lore", ["hook", "run", "--agent", "opencode", "--event", event], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 1000,
    })
    child.on("error", () => done(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (text += data))
    child.on("close", () => done(text))
    child.stdin.end(JSON.stringify(input))
  })

export const LorePlugin = async ({ directory }) => {
  const started = new Set()
  return {
    "tool.execute.after": async (input, output) => {
      const base = { session_id: input.sessionID, cwd: directory }
      const said = []
      if (!started.has(input.sessionID)) {
        started.add(input.sessionID)
        said.push(await ask("session-start", base))
      }
      const call = { tool_name: input.tool, tool_input: input.args, tool_response: output.output }
      said.push(await ask("after-tool", { ...base, ...call }))
      const text = said.filter(Boolean).join("\n")
      if (text) output.output = `${output.output ?? ""}\n${text}`
    },
  }
}
