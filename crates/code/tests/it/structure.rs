//! Contracts and infrastructure: what they declare, and how it hangs together.

use crate::check_outline;
use expect_test::expect;

#[test]
fn protocol_buffers() {
    check_outline(
        r#"
--- api/types.proto
syntax = "proto3";
package shop;
message Item { string name = 1; }
enum Color { RED = 0; BLUE = 1; }
--- api/shop.proto
syntax = "proto3";
package shop;
import "api/types.proto";
// A shop.
service Shop {
  rpc Find (FindRequest) returns (stream shop.Item) { option deprecated = true; }
  rpc List (FindRequest) returns (Reply);
}
message FindRequest {
  map<string, Item> items = 1;
  repeated Color colors = 2;
  message Inner { int32 x = 1; }
  oneof what { Inner inner = 3; string text = 4; }
}
message Reply {}
"#,
        expect![[r#"
            api/types.proto:3 message Item
            api/types.proto:3 field Item.name
            api/types.proto:4 enum Color
            api/types.proto:4 const Color.RED
            api/types.proto:4 const Color.BLUE
            api/shop.proto:5 service Shop
            api/shop.proto:6 rpc Shop.Find
            api/shop.proto:7 rpc Shop.List
            api/shop.proto:9 message FindRequest
            api/shop.proto:10 field FindRequest.items
            api/shop.proto:11 field FindRequest.colors
            api/shop.proto:12 message FindRequest.Inner
            api/shop.proto:12 field FindRequest.Inner.x
            api/shop.proto:13 field FindRequest.inner
            api/shop.proto:13 field FindRequest.text
            api/shop.proto:15 message Reply
            api/shop.proto Shop.Find references api/types.proto Item
            api/shop.proto Shop.Find references api/shop.proto FindRequest
            api/shop.proto Shop.List references api/shop.proto FindRequest
            api/shop.proto Shop.List references api/shop.proto Reply
            api/shop.proto FindRequest.items references api/types.proto Item
            api/shop.proto FindRequest.colors references api/types.proto Color
            api/shop.proto FindRequest.inner references api/shop.proto FindRequest.Inner
        "#]],
    );
}

#[test]
fn sql_tables_views_and_keys() {
    check_outline(
        r#"
--- db/001.sql
-- Users.
CREATE TABLE IF NOT EXISTS public.users (
  id BIGINT PRIMARY KEY,
  "full name" TEXT NOT NULL DEFAULT 'a, b',
  CHECK (id > 0)
);
CREATE TABLE orders (
  id INT,
  user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT fk FOREIGN KEY (id) REFERENCES users(id)
);
CREATE VIEW totals AS SELECT * FROM orders o JOIN public.users u ON u.id = o.user_id;
--- db/002.sql
ALTER TABLE orders ADD COLUMN note TEXT;
ALTER TABLE payments ADD CONSTRAINT p FOREIGN KEY (o) REFERENCES orders (id);
"#,
        expect![[r#"
            db/001.sql:2 table users
            db/001.sql:3 column users.id
            db/001.sql:4 column users.full name
            db/001.sql:7 table orders
            db/001.sql:8 column orders.id
            db/001.sql:9 column orders.user_id
            db/001.sql:12 table totals
            db/002.sql:2 table payments
            db/001.sql orders references db/001.sql users
            db/001.sql orders.user_id references db/001.sql users
            db/001.sql orders dependson db/001.sql users
            db/001.sql orders dependson db/001.sql users
            db/001.sql totals dependson db/001.sql users
            db/001.sql totals dependson db/001.sql orders
            db/002.sql payments references db/001.sql orders
            db/002.sql payments dependson db/001.sql orders
        "#]],
    );
}

#[test]
fn terraform() {
    check_outline(
        r#"
--- infra/main.tf
variable "region" { default = "eu" }
locals {
  name = "logs-${var.region}"
  tags = { a = 1 }
}
resource "aws_s3_bucket" "logs" {
  bucket = local.name
  policy = data.aws_iam_policy.p.json
}
data "aws_iam_policy" "p" { name = "x" }
module "net" { source = "./net" }
output "arn" { value = aws_s3_bucket.logs.arn }
--- infra/net/main.tf
resource "aws_vpc" "v" {}
"#,
        expect![[r#"
            infra/main.tf:1 resource var.region
            infra/main.tf:3 resource local.name
            infra/main.tf:4 resource local.tags
            infra/main.tf:6 resource aws_s3_bucket.logs
            infra/main.tf:10 resource data.aws_iam_policy.p
            infra/main.tf:11 resource module.net
            infra/main.tf:12 resource output.arn
            infra/net/main.tf:1 resource aws_vpc.v
            infra/main.tf local.name dependson infra/main.tf var.region
            infra/main.tf aws_s3_bucket.logs dependson infra/main.tf local.name
            infra/main.tf aws_s3_bucket.logs dependson infra/main.tf data.aws_iam_policy.p
            infra/main.tf module.net dependson infra/net/main.tf (file)
            infra/main.tf output.arn dependson infra/main.tf aws_s3_bucket.logs
        "#]],
    );
}

#[test]
fn kubernetes_compose_and_docker() {
    check_outline(
        r#"
--- k8s/app.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          envFrom:
            - configMapRef: {name: settings}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
--- k8s/config.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
--- docker-compose.yml
services:
  web:
    build: ./web
    ports: ["80:80"]
    depends_on: [db]
    volumes: ["data:/var"]
  db:
    image: postgres
volumes:
  data: {}
--- web/Dockerfile
FROM rust:1 AS build
RUN make
FROM debian
COPY --from=build /a /b
EXPOSE 80
"#,
        expect![[r#"
            k8s/app.yaml:1 resource Deployment/web
            k8s/app.yaml:13 service Service/web
            k8s/config.yaml:1 resource ConfigMap/settings
            docker-compose.yml:10 resource data
            docker-compose.yml:2 service web
            docker-compose.yml:4 resource web.port 80:80
            docker-compose.yml:7 service db
            web/Dockerfile:1 service build
            web/Dockerfile:3 service stage 1
            web/Dockerfile:5 resource stage 1.port 80
            docker-compose.yml web dependson docker-compose.yml db
            docker-compose.yml web deploys web/Dockerfile (file)
            docker-compose.yml web exposes docker-compose.yml web.port 80:80
            docker-compose.yml web configures docker-compose.yml data
            k8s/app.yaml Deployment/web dependson k8s/config.yaml ConfigMap/settings
            k8s/app.yaml Service/web deploys k8s/app.yaml Deployment/web
            web/Dockerfile stage 1 dependson web/Dockerfile build
            web/Dockerfile stage 1 exposes web/Dockerfile stage 1.port 80
        "#]],
    );
}

#[test]
fn pipelines() {
    check_outline(
        r#"
--- .github/workflows/ci.yml
name: ci
on: push
jobs:
  build:
    runs-on: x
    steps:
      - uses: actions/checkout@v4
  test:
    needs: build
    uses: ./.github/workflows/test.yml
--- .github/workflows/test.yml
jobs:
  unit: {runs-on: x}
--- .gitlab-ci.yml
include: [{local: ci/base.gitlab-ci.yml}]
stages: [a]
build:
  extends: .base
  script: [make]
deploy:
  needs: [build]
  script: [go]
--- ci/base.gitlab-ci.yml
.base: {image: x}
"#,
        expect![[r#"
            .github/workflows/ci.yml:4 job build
            .github/workflows/ci.yml:8 job test
            .github/workflows/test.yml:2 job unit
            .gitlab-ci.yml:3 job build
            .gitlab-ci.yml:6 job deploy
            ci/base.gitlab-ci.yml:1 job .base
            .github/workflows/ci.yml test dependson .github/workflows/ci.yml build
            .github/workflows/ci.yml test dependson .github/workflows/test.yml (file)
            .gitlab-ci.yml build references ci/base.gitlab-ci.yml .base
            .gitlab-ci.yml deploy dependson .gitlab-ci.yml build
        "#]],
    );
}

#[test]
fn cloudformation_serverless_and_openapi() {
    check_outline(
        r##"
--- aws/template.yaml
AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Stage: {Type: String}
Resources:
  Table:
    Type: AWS::DynamoDB::Table
  Find:
    Type: AWS::Serverless::Function
    Properties:
      Env: !Ref Table
      Name: !Sub "find-${Stage}"
      Events:
        Api: {Type: Api, Properties: {Path: /find, Method: get}}
--- fn/serverless.yml
service: shop
functions:
  list:
    handler: src/list.main
    events:
      - httpApi: GET /items
--- fn/src/list.py
def main(): pass
--- openapi.json
{"openapi": "3.0.0", "paths": {"/users/{id}": {"get": {"summary": "One user",
  "responses": {"200": {"content": {"a": {"schema": {"$ref": "#/components/schemas/User"}}}}}}}},
 "components": {"schemas": {"User": {"properties": {"name": {"type": "string"}}}}}}
"##,
        expect![[r#"
            aws/template.yaml:3 resource Stage
            aws/template.yaml:5 resource Table
            aws/template.yaml:7 resource Find
            aws/template.yaml:13 route_handler Find.GET /find
            fn/serverless.yml:3 service list
            fn/serverless.yml:6 route_handler list.GET /items
            fn/src/list.py:1 function main
            openapi.json:1 route_handler GET /users/{id}
            openapi.json:3 message User
            openapi.json:3 field User.name
            aws/template.yaml Find dependson aws/template.yaml Stage
            aws/template.yaml Find dependson aws/template.yaml Table
            aws/template.yaml Find exposes aws/template.yaml Find.GET /find
            fn/serverless.yml list deploys fn/src/list.py (file)
            fn/serverless.yml list exposes fn/serverless.yml list.GET /items
            openapi.json GET /users/{id} references openapi.json User
        "#]],
    );
}

#[test]
fn style_sheets() {
    check_outline(
        r#"
--- css/site.scss
@use "base";
/* Header. */
.header, nav > a {
  color: red;
  &:hover { color: blue; }
}
@media (max-width: 1px) { .small { a: b } }
--- css/_base.scss
$x: 1px;
body { margin: 0 }
"#,
        expect![[r#"
            css/site.scss:3 selector .header, nav > a
            css/site.scss:5 selector .header, nav > a.&:hover
            css/site.scss:7 selector @media (max-width: 1px)
            css/site.scss:7 selector @media (max-width: 1px)..small
            css/_base.scss:2 selector body
        "#]],
    );
}

#[test]
fn style_sheets_depend_on_mixins_selectors_and_properties() {
    check_outline(
        r#"
--- css/site.scss
:root { --accent: #f00; }
@mixin rounded($r) { border-radius: $r; }
.button { color: var(--accent); @include rounded(4px); }
.primary { @extend .button; background: var(--accent, red) }
"#,
        expect![[r#"
            css/site.scss:1 selector :root
            css/site.scss:1 var :root.--accent
            css/site.scss:2 selector @mixin rounded
            css/site.scss:3 selector .button
            css/site.scss:4 selector .primary
            css/site.scss .button dependson css/site.scss :root.--accent
            css/site.scss .button dependson css/site.scss @mixin rounded
            css/site.scss .primary dependson css/site.scss :root.--accent
            css/site.scss .primary dependson css/site.scss .button
        "#]],
    );
}

#[test]
fn settings_and_workloads_of_one_file_are_tied_both_ways() {
    check_outline(
        r#"
--- k8s/all.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
        - name: web
          envFrom:
            - configMapRef: {name: settings}
            - secretRef: {name: keys}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
"#,
        expect![[r#"
            k8s/all.yaml:1 resource ConfigMap/settings
            k8s/all.yaml:5 resource Deployment/web
            k8s/all.yaml:17 resource Secret/keys
            k8s/all.yaml Deployment/web dependson k8s/all.yaml ConfigMap/settings
            k8s/all.yaml Deployment/web dependson k8s/all.yaml Secret/keys
            k8s/all.yaml ConfigMap/settings configures k8s/all.yaml Deployment/web
            k8s/all.yaml Secret/keys configures k8s/all.yaml Deployment/web
        "#]],
    );
}
