/** Served at `/` when the web UI was not built. */
export const notBuiltPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Bot Relay</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem; }
code { background: rgb(128 128 128 / .18); padding: .1em .35em; border-radius: 4px; }
</style>
</head>
<body>
<h1>Bot Relay is running</h1>
<p>The web UI has not been built. <code>npm start</code> builds it and starts the service.</p>
<p>The API works without it: read the <a href="/docs">guides</a>, the <a href="/docs/api">API reference</a>
or the <a href="/openapi.json">OpenAPI document</a>.</p>
</body>
</html>
`;
