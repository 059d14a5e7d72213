"""Secrets in the forms of tools: arguments of commands, lines of files of settings, calls in code."""

from __future__ import annotations

from loxodon.trust.guard.rules import Rule

_ARG = r"[\"']?(?P<it>[^\s\"'\-|<>][^\s\"'|<>]{3,})"
_TOOLS = (
    (
        r"-p ?",
        "mongo mongosh mongodump mongorestore mongoexport mongoimport 7z 7za 7zr rar unrar rabbitmqadmin cqlsh psexec "
        r"evil-winrm impacket-\S{1,20} rdesktop snowsql vsql mariadb mariadb-dump mysqladmin mysqlimport docker_login podman_login "
        r"helm_registry_login az_login oc_login crackmapexec nxc rpcclient steghide",
    ),
    (r"-P ?", "zip unzip sqlcmd bcp ipmitool mosquitto_pub mosquitto_sub isql tsql wkhtmltopdf"),
    (
        r"-w ?",
        "ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami expect zabbix_sender",
    ),
    (r"(?:-k|-K) ", "openssl"),
    (r"-pass(?:in|out)? pass:", "openssl"),
    (r"-hp ?", "rar unrar"),
    (r"-[AX] ", "snmpwalk snmpget snmpset snmptrap"),
    (r"-(?:store|key|deststore|srcstore|new)pass ", "keytool jarsigner"),
    (r"/p:", "xfreerdp xfreerdp3 wfreerdp mstsc cmdkey"),
    (r"/pass:", "cmdkey"),
    (r"-U ?[^\s%]{1,60}%", "smbclient smbget rpcclient smbcacls smbmap net smbtree"),
    (r"-b (?:-[a-zA-Z] )*\S{1,120} \S{1,60} ", "htpasswd"),
    (r"", "wpa_passphrase"),
)
"""What a tool takes a password by, and the tools that do."""


def _tool(flag: str, names: str) -> Rule:
    tools = "|".join(names.split()).replace("_login", " login").replace("_registry", " registry")
    between = r"[^\n|]{0,160}? " if flag else r" \S{1,60} "
    return Rule(
        "command-line-password",
        rf"(?:^|[^A-Za-z0-9_./\-])(?:{tools}){between}{flag}{_ARG}",
        (rf"~\b(?:{tools}) ",),
        check="password",
    )


_LITERAL = r"[\"'](?P<it>[A-Za-z0-9+/=_.!@#$%^&*~\-]{12,})[\"']"

COMMANDS: tuple[Rule, ...] = (
    *(_tool(flag, names) for flag, names in _TOOLS),
    Rule(
        "command-line-password",
        rf"(?i)(?:^|\s)--(?:passphrase|http-password|ftp-password|proxy-password|db-password|admin-password|"
        rf"user-password|userpass|storepass|bind-password|root-password|become-password|vault-password)[= ]{_ARG}",
        ("~--[a-z-]{0,16}pass",),
        check="password",
    ),
    Rule(
        "command-line-password",
        rf"(?i)\becho (?:-n )?(?:[\"']?[\w.@-]{{1,60}}:)?{_ARG}[\"']?\s?\|\s?[^\n]{{0,80}}?(?:--password-stdin|--stdin|"
        r"sudo (?:-\w )*-S\b|chpasswd|--passphrase-fd|passwd\b)",
        ("~echo [^\\n]{4,120}\\|",),
        check="password",
    ),
    Rule(
        "command-line-password",
        rf"(?i)\bnet use [^\n]{{0,80}}?\\\\[^\s\\]{{1,80}}\\\S{{1,80}} (?:/user:\S{{1,80}} )?{_ARG}",
        ("net use ",),
        check="password",
    ),
    Rule(
        "command-line-password",
        rf"(?i)\bnet user \S{{1,60}} {_ARG}",
        ("net user ",),
        check="password",
    ),
    Rule(
        "command-line-password",
        r"(?i)\b(?:sqlplus|impdp|expdp|sqlldr|rman target)\s(?:-\w )*[\"']?[\w$#]{1,60}/(?P<it>[^\s\"'@/]{3,})(?:@|\s|[\"']|$)",
        ("sqlplus", "impdp", "expdp", "sqlldr", "rman target"),
        check="password",
    ),
    Rule(
        "connection-string",
        r"(?i)\bjdbc:oracle:(?:thin|oci8?):[\w$#]{1,60}/(?P<it>[^\s\"'@]{1,100})@",
        ("jdbc:oracle:",),
        check="url_password",
    ),
    Rule(
        "password",
        r"(?:^|\s)[A-Za-z0-9_.*\-]{1,120}:(?:[0-9]{2,5}|\*):[A-Za-z0-9_.*\-]{1,60}:[A-Za-z0-9_.*@\-]{1,60}:(?P<it>[^\s:]{4,100})(?:\s|$)",
        (r"~[a-z0-9_.*-]:(?:[0-9]{2,5}|\*):[a-z0-9_.*-]{1,60}:[a-z0-9_.*@-]{1,60}:[^\s:]{4}",),
        check="pgpass",
    ),
    Rule(
        "wifi-password",
        r"(?i)\bpsk\s?=\s?[\"']?(?P<it>[^\s\"']{8,64})",
        (r"~\bpsk ?=",),
        check="given",
    ),
    Rule(
        "authorization",
        r"\"auth\"\s?:\s?\"(?P<it>[A-Za-z0-9+/]{8,}={0,2})\"",
        (r'~"auth" ?:',),
        check="user_and_password",
    ),
    # Keys of wallets and of frameworks
    Rule(
        "wallet-key",
        r"(?i)(?:key|priv|wallet|signer|deployer|metamask|mnemonic|私钥|密钥|钱包|导入)[^\n]{0,40}?\b(?P<it>0x[0-9a-f]{64})\b",
        (r"~0x[0-9a-f]{64}",),
        check="wallet_key",
    ),
    Rule(
        "secret-value",
        r"(?i)(?P<name>[a-z0-9_./]{0,30}[ _./-]?\bkey)\b[^\nA-Za-z0-9]{0,4}(?:is|was|file|content|contents|are|是)?[^\nA-Za-z0-9]{0,4}(?P<it>[0-9a-f]{32})\b",
        (r"~\bkey\b",),
        check="key_said",
    ),
    # Calls in code
    Rule(
        "secret-value",
        r"(?i)\b\w{0,40}(?:client|twilio|auth|credentials?|login|session|connect|api|sdk|vonage|nexmo|basic|signer|keypair)[\"')]{0,2}"
        rf"\(\s?[\"'][^\"'\n]{{2,80}}[\"']\s?,\s{{0,4}}{_LITERAL}",
        (
            r"~(?:client|twilio|auth|credentials?|login|session|connect|api|sdk|vonage|nexmo|basic|signer|keypair)[\"')]{0,2}\( ?[\"']",
        ),
        check="assigned",
    ),
)
"""Secrets that are known by the tool they are given to."""
