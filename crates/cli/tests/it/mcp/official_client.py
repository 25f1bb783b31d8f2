"""Lists and calls everything a server has; one line for each that answered.

Run by a test: over, where to, questions as JSON. Answers are checked against
their schemas by the SDK itself.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client as http_client
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as http_client

OVER, WHERE, QUESTIONS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])

PROMPTS = {
    "why_is_this_so": {"target": "src/login.rs:1"},
    "start_task": {"task": "cookie"},
    "review_mr": {"merge_request": "!1"},
    "hand_over": {},
}


def field(thing, *names):
    """The SDK has renamed its fields from camel case to snake case."""
    for name in names:
        if hasattr(thing, name):
            return getattr(thing, name)
    raise AttributeError(names)


async def everything(session):
    await session.initialize()
    tools = (await session.list_tools()).tools
    asked = dict(QUESTIONS)
    for tool in tools:
        assert field(tool, "outputSchema", "output_schema"), tool.name
        result = await session.call_tool(tool.name, asked[tool.name])
        is_error = field(result, "isError", "is_error")
        answer = field(result, "structuredContent", "structured_content")
        assert not is_error and answer["data"] is not None, (tool.name, answer)
        print("tool", tool.name)
    for prompt in (await session.list_prompts()).prompts:
        got = await session.get_prompt(prompt.name, PROMPTS[prompt.name])
        assert got.messages[0].content.text
        print("prompt", prompt.name)
    uris = {str(it.uri) for it in (await session.list_resources()).resources}
    listed = await session.list_resource_templates()
    templates = field(listed, "resourceTemplates", "resource_templates")
    # Issue, merge request, decision, symbol, snapshot.
    assert len(templates) == 5, templates
    uris.add("lore://symbol/login")
    for kept in sorted(uri for uri in uris if uri.startswith("lore://decision/"))[1:]:
        # Asked by `remember` above; one record is enough.
        uris.discard(kept)
    for uri in uris:
        read = await session.read_resource(uri)
        assert json.loads(read.contents[0].text)["data"] is not None, uri
        name = uri.removeprefix("lore://")
        print("resource", "decision" if name.startswith("decision/") else name)


async def main():
    if OVER == "http":
        async with http_client(WHERE) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await everything(session)
    else:
        server = StdioServerParameters(
            command=WHERE,
            args=["mcp", "--tools", "all", "--no-index"],
            env=dict(os.environ),
        )
        async with stdio_client(server) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await everything(session)


asyncio.run(main())
