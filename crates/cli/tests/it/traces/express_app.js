const { NodeSDK } = require('@opentelemetry/sdk-node');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const over = process.env.LORE_TEST_OVER === 'grpc' ? 'grpc' : 'proto';
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-' + over);

const sdk = new NodeSDK({
  serviceName: 'expresshop',
  traceExporter: new OTLPTraceExporter(),
  instrumentations: [
    new HttpInstrumentation({ ignoreOutgoingRequestHook: () => true }),
    new ExpressInstrumentation(),
  ],
});
sdk.start();

const http = require('http');
const express = require('express');
const app = express();

function user(request, response) {
  response.json({ id: request.params.id });
}

function order(request, response) {
  response.status(201).end();
}

function never(request, response) {
  response.end();
}

app.get('/users/:id', user);
app.post('/orders', order);
app.get('/never', never);

function ask(port, method, path) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, method, path, host: '127.0.0.1' }, (response) => {
      response.resume().on('end', resolve);
    });
    request.on('error', reject).end();
  });
}

const server = app.listen(0, '127.0.0.1', async () => {
  const port = server.address().port;
  for (let n = 0; n < 3; n++) await ask(port, 'GET', '/users/' + n);
  await ask(port, 'POST', '/orders');
  await sdk.shutdown();
  server.close();
});
