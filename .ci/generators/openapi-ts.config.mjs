/** Makes a client with @hey-api/openapi-ts, which uses `fetch`. */
export default {
  input: '../../lib/service/svc-openapi.json',
  output: 'generated/hey-api',
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
}
