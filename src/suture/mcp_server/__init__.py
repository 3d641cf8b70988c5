"""suture as a server of the Model Context Protocol, on the official SDK: `suture mcp`."""
