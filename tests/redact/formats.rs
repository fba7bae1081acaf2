//! Secrets that a format announces: a column's name, a file's or a router's syntax. `§` is the secret.

/// Place and value.
pub(crate) const FORMATS: &[(&str, &str)] = &[
    // Tables with a line of names: kubectl, docker, `column -t`, psql, mysql.
    ("NAME      TOKEN                                AGE\nbuild     §   3d\n", "{a32}"),
    (
        "ID   USER     PASSWORD           ROLE\n1    ada      §   admin\n2    grace    x9Kd02mZ1qLp8Rt4   user\n",
        "{a16}",
    ),
    ("SERVICE   API KEY                            CREATED\nweb       §   2026-01-01\n", "{h32}"),
    (" id | name | api_token \n----+------+-----------\n  1 | ada  | §\n", "{a24}"),
    (
        "+----+------------------+\n| id | access_key       |\n+----+------------------+\n|  1 | § |\n+----+--+\n",
        "{a20}",
    ),
    ("name\ttoken\nci\t§\n", "{u43}"),
    ("| Name | Secret |\n|------|--------|\n| app  | §  |\n", "{a24}"),
    ("NAMESPACE   NAME   SECRET                     TYPE\ndefault     db     §   Opaque\n", "{a24}"),
    // Password exports of browsers and password managers.
    ("name,url,username,password\nsite,https://example.org/,ada,§\n", "{a14}"),
    ("\"url\",\"username\",\"password\"\n\"https://example.org\",\"ada\",\"§\"\n", "{p16}"),
    ("user;password;mail\nada;§;ada@example.org\n", "{a12}"),
    // Web keys.
    ("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\",\"d\":\"§\"}", "{u43}"),
    ("{\n  \"p\": \"§\",\n  \"kty\": \"RSA\",\n  \"e\": \"AQAB\",\n  \"use\": \"sig\"\n}", "{u170}"),
    ("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"§\"}]}", "{u43}"),
    ("{\\\"kty\\\": \\\"OKP\\\", \\\"d\\\": \\\"§\\\", \\\"crv\\\": \\\"Ed25519\\\"}", "{u43}"),
    // PostgreSQL's password file.
    ("localhost:5432:app:ada:§\n", "{a12}"),
    ("*:*:*:postgres:§\n", "{p16}"),
    ("db.example.org:6432:app_production:app:§", "{a16}"),
    ("  3\tdb-1:5432:*:ada:§\n", "{a10}"),
    // Cookies.
    ("Cookie: session=§", "{a16}"),
    ("Cookie: theme=dark; sessionid=§; lang=en", "{s32}"),
    ("Set-Cookie: sid=§; Path=/; HttpOnly", "{h32}"),
    ("set-cookie: connect.sid=s%3A§; Path=/", "{u32}"),
    ("{\"Set-Cookie\": [\"session=§; Path=/\"]}", "{u32}"),
    ("curl -b 'session=§' https://example.org", "{a24}"),
    ("curl --cookie sessionid=§ https://example.org", "{s32}"),
    ("{\"cookie\": \"sid=§; x=1\"}", "{a20}"),
    // SonarQube.
    ("sonar.login=§", "{h40}"),
    ("sonar-scanner -Dsonar.login=§ -Dsonar.projectKey=app", "{h40}"),
    ("sonar.login: §", "{h40}"),
    // Routers.
    (" password 7 §", "{H14}"),
    ("username ada privilege 15 password 7 §", "{H18}"),
    ("enable secret 5 $1$mERr$§", "{r22}"),
    ("tacacs-server key 7 §", "{H20}"),
    ("username ada secret 0 §", "{a12}"),
    (" neighbor 10.0.0.1 password 7 §", "{H16}"),
    ("snmp-server community § RO", "{a12}"),
    ("snmp-server community § RW 10", "{l9}"),
    // Logins in base64, without a digit or a sign of base64 among the letters.
    ("Authorization: Basic dXNlcjpw§", "YXNz"),
    ("Authorization: Basic §", "YWRhOnNlY3JldA"),
    ("_auth=§", "YWRhOnB3ZA=="),
    ("//registry.example.org/:_auth=§", "dXNlcjpwYXNz"),
    ("\"auth\": \"§\"", "YWRhOmxvdmVsYWNl"),
    // Okta.
    ("Authorization: SSWS §", "00{u40}"),
    ("header 'SSWS §' sent", "00{u40}"),
    // Lines from the middle of a private key.
    ("first\n§\nlast", "{b64}\n{b64}\n{b64}"),
    ("  12\t§\n", "{b64}\n  13\t{b64}\n  14\t{b64}\n  15\t{b64}"),
    ("§", "{b70}\n{b70}\n{b70}\n{b70}\n{b40}"),
    // Arguments that bash would read as a comment.
    ("sshpass -p §", "#{a12}"),
    ("redis-cli -h cache -a § ping", "#{a12}"),
    ("curl -u ada:x -U § https://example.org", "#ada:{a12}"),
    ("mysql --password § app", "#{a12}"),
];
