/** The systemd unit of a node (systemd.service(5), systemd.exec(5)): started when it serves, watched, and able to do little else. */

export interface ServiceUnitWish {
  /** The command that starts the program. */
  readonly command: string;
  /** The platform file, absolute. */
  readonly file: string;
  /** The data directory, absolute. */
  readonly dataDir: string;
  /** Other directories that the node writes to, absolute. */
  readonly written: readonly string[];
  readonly user: string;
  /** `NAME:/path` each: a secret that the platform file reads as `${NAME}`. */
  readonly credentials: readonly string[];
  /** Whether a listener has a port below 1024. */
  readonly lowPorts: boolean;
  /** How long the drain may take before the process is killed. */
  readonly stopSeconds: number;
}

/** How long systemd waits for a sign of life of the main thread. */
const WATCHDOG_SECONDS = 30;
/** Opening large stores after a crash reads their journals. */
const START_SECONDS = 300;

/**
 * The text of `skep.service`. A directory beside the data directory may be missing, as a disk that is not mounted: what writes there says so, and the
 * rest is served. The shell has a `kill` of its own: a machine without procps has no /bin/kill, and a reload failed there.
 */
export function serviceUnit(wish: ServiceUnitWish): string {
  const capability = wish.lowPorts ? 'CAP_NET_BIND_SERVICE' : '';
  return `[Unit]
Description=Skep: identity, data, intake, vault, BFF, content and audit for many tenants
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=notify
ExecStart=${wish.command} -f ${wish.file}
ExecReload=/bin/sh -c 'kill -HUP \${MAINPID}'
User=${wish.user}
${wish.credentials.map((credential) => `LoadCredential=${credential}\n`).join('')}Restart=on-failure
RestartSec=2
TimeoutStartSec=${START_SECONDS}
TimeoutStopSec=${wish.stopSeconds}
WatchdogSec=${WATCHDOG_SECONDS}
LimitNOFILE=65536
LimitCORE=0
UMask=0077
ReadWritePaths=${wish.dataDir}
${wish.written.map((path) => `ReadWritePaths=-${path}\n`).join('')}CacheDirectory=skep
Environment=NODE_COMPILE_CACHE=%C/skep
AmbientCapabilities=${capability}
CapabilityBoundingSet=${capability}
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
ProtectProc=invisible
ProcSubset=all
PrivateTmp=yes
PrivateDevices=yes
ProtectHostname=yes
ProtectClock=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}
