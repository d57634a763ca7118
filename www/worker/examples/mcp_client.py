"""Memory as a tool, with the official Python client (`pip install "mcp>=2"`).

MEMFOLD_URL and MEMFOLD_TOKEN: as `make worker` prints them.
"""

import asyncio
import os

from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['MEMFOLD_TOKEN']}"}
    url = f"{os.environ['MEMFOLD_URL']}/mcp"
    async with create_mcp_http_client(headers=headers) as http, streamable_http_client(url, http_client=http) as (read, write, *_):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print([tool.name for tool in (await session.list_tools()).tools])

            async def tool(name: str, **arguments: object) -> str:
                return (await session.call_tool(name, arguments)).content[0].text

            print(await tool("remember", content="The contract with Corran Bay ends on 30 June 2026"))
            print(await tool("recall", query="When does the Corran Bay contract end?"))


asyncio.run(main())
