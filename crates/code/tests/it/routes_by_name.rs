//! Routes that names and places say: of files, of objects, of controllers.

use crate::routes::check;
use expect_test::expect;

#[test]
fn the_pages_router_of_next() {
    check(
        r#"
--- package.json
{"name": "shop"}
--- web/middle.ts
export function wrap(handler: any) { return handler }
--- web/pages/api/cart.ts
import { wrap } from '../../middle';

const handler = async (req: any, res: any) => {};

export default wrap(handler);
--- web/pages/api/products/index.ts
export default function all(req: any, res: any) {}
--- web/pages/api/products/[id]/index.ts
async function one(req: any, res: any) {}
export default one;
--- web/pages/api/files/[...path].js
export default async (req, res) => {}
--- web/pages/api/cart.test.ts
export default function no(req: any, res: any) {}
--- web/pages/about.tsx
export default function About() { return null }
"#,
        expect![[r#"
            web/pages/api/cart.ts:5 ANY /api/cart <- handler
            web/pages/api/products/index.ts:1 ANY /api/products <- all
            web/pages/api/products/[id]/index.ts:1 ANY /api/products/{id} <- one
            web/pages/api/files/[...path].js:1 ANY /api/files/{*path} <- default
        "#]],
    );
}

#[test]
fn services_of_grpc_in_javascript() {
    check(
        r#"
--- package.json
{"name": "shop"}
--- charge.js
module.exports.charge = async request => {};
--- index.js
const grpc = require('@grpc/grpc-js');
const charge = require('./charge');
const shop = grpc.loadPackageDefinition({});
const server = new grpc.Server();

async function chargeHandler(call, callback) {
  await charge.charge(call.request);
}

server.addService(shop.shop.v1.PaymentService.service, { charge: chargeHandler, refund(call) {} });
"#,
        expect![[r#"
            index.js:10 GRPC /PaymentService/Charge <- chargeHandler
            index.js:10 GRPC /PaymentService/Refund <- refund
        "#]],
    );
}

#[test]
fn a_function_that_is_bound_answers() {
    check(
        r#"
--- package.json
{"name": "shop"}
--- server.js
class ShopServer {
  constructor(server, shop) {
    server.addService(shop.PaymentService.service, {
      charge: ShopServer.ChargeHandler.bind(this),
      refund: refund.bind(null),
    });
  }

  static ChargeHandler(call, callback) {}
}

function refund(call, callback) {}
"#,
        expect![[r#"
            server.js:3 GRPC /PaymentService/Charge <- ShopServer.ChargeHandler
            server.js:3 GRPC /PaymentService/Refund <- refund
        "#]],
    );
}

#[test]
fn controllers_without_templates_answer_by_their_names() {
    check(
        r#"
--- a.csproj
<Project/>
--- AccountController.cs
namespace Shop;
[SecurityHeaders]
public class AccountController : Controller {
    [HttpGet]
    public IActionResult Login(string returnUrl) { return null; }
    [HttpGet]
    public IActionResult Index() { return null; }
}
[Route("api/[controller]")]
public class ItemsController : ControllerBase {
    [HttpGet]
    public IActionResult All() { return null; }
}
"#,
        expect![[r#"
            AccountController.cs:4 GET /Account/Login <- AccountController.Login
            AccountController.cs:6 GET /Account <- AccountController.Index
            AccountController.cs:11 GET /api/Items <- ItemsController.All
        "#]],
    );
}
