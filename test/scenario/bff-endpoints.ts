/** The endpoints that bff.test.ts calls: `bff/<name>.yaml` of its product. */
export const FILES = {
  page: `
name: page
path: /page/{title}
auth: service
calls:
  category: { service: data, path: /data/rest/category, query: { title: "{{path.title}}" } }
  items:
    service: data
    path: /data/rest/item
    query: { category_id: "{{calls.category.data[0].id}}", orderby: name }
  posts: { service: content, path: /content/blog/post, query: { limit: "{{query.posts}}" } }
  weather:
    url: UPSTREAM/weather
    query: { place: "{{path.title}}" }
    headers: { x-api-key: "\${SKEP_TEST_UPSTREAM_KEY}", accept-language: "{{header.accept-language}}" }
    on_error: "null"
    timeout: 30s
response:
  language: jq
  program: >-
    { data: { title: .calls.category.data[0].title, items: [.calls.items.data[] | {name, price}],
      posts: [.calls.posts.data[].title], weather: .calls.weather.text } }
`,
  plain: `
name: plain
path: /plain
auth: public
calls:
  one: { url: UPSTREAM/one }
  two: { url: OTHER/two, on_error: default, default: { text: none } }
`,
  fatal: `
name: fatal
path: /fatal
auth: public
calls: { one: { url: UPSTREAM/one, timeout: 300ms } }
`,
  gone: `
name: gone
path: /gone
auth: public
calls: { one: { url: GONE/one } }
`,
  stale: `
name: stale
path: /stale
auth: public
calls: { one: { url: OTHER/stale, on_error: stale, default: { n: 0 } } }
response: { language: template, program: { n: "{{calls.one.n}}", said: "n is {{calls.one.n}}" } }
`,
  cached: `
name: cached
path: /cached
auth: service
calls: { one: { url: UPSTREAM/cached, cache: 1m, query: { q: "{{query.q}}" } } }
response: { language: jq, program: .calls.one }
`,
  whole: `
name: whole
path: /whole/{id}
auth: public
cache: 1m
calls: { one: { url: UPSTREAM/whole } }
response: { language: jq, program: ".calls.one" }
`,
  retry: `
name: retry
path: /retry
auth: public
calls: { one: { url: OTHER/retry, retries: 2 } }
`,
  order: `
name: order
method: POST
path: /order
auth: service
calls:
  check: { url: UPSTREAM/check }
  create:
    service: data
    method: POST
    path: /data/rest/item
    body: { name: "{{body.name}}", price: "{{body.price}}", token: "by {{principal.type}}" }
response: { language: jq, program: ".calls.create.data[0]" }
`,
  remote: `
name: remote
method: PUT
path: /remote/{id}
auth: public
calls:
  put:
    url: UPSTREAM/remote/{{path.id}}/end
    method: PUT
    headers: { if-match: "{{header.if-match}}" }
    body: { id: "{{path.id}}", sent: "{{body}}", list: ["{{query.a}}", 1], note: "<{{body.note}}>" }
`,
  lookup: `
name: lookup
path: /lookup
auth: public
calls: { one: { url: "UPSTREAM/lookup/{{query.id}}/end" } }
`,
  chain: `
name: chain
path: /chain
auth: public
calls:
  last: { url: "UPSTREAM/last/{{calls.first.id}}", on_error: default, default: [] }
  first: { url: OTHER/first, on_error: "null" }
  free: { url: UPSTREAM/free }
`,
  users: `
name: users
path: /users
auth: user
calls: { one: { url: UPSTREAM/one } }
`,
  hidden: `
name: hidden
path: /hidden
auth: public
calls: { rows: { service: data, path: /data/rest/item } }
`,
  download: `
name: download
path: /download
auth: service
calls: { bytes: { service: data, path: /data/rest/nothing/here, on_error: "null" } }
`,
};
