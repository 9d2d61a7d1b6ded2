/** Served at `/` when the web page was not built: honest, and of some use. */
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
<p>The service answers, but its web page has not been built in this installation.
<code>npm start</code> builds it; a service started without that step shows this page instead.</p>
<p>Everything works through the interface meanwhile: read the <a href="/docs">API reference</a>
or fetch the <a href="/openapi.json">OpenAPI document</a>.</p>
</body>
</html>
`;
