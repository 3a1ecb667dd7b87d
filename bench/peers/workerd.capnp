using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (writable = true)),
  ],
  sockets = [(name = "http", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "durable-object.js", esModule = embed "durable-object.js")],
  compatibilityDate = "2026-01-01",
  durableObjectNamespaces = [(className = "Tenant", uniqueKey = "bench", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "TENANT", durableObjectNamespace = "Tenant")],
);
