//! From a contract to the stubs made of it, to who answers and who calls.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const FILES: &[(&str, &str)] = &[
    (
        "protos/shop.proto",
        "\
syntax = \"proto3\";
package shop;

service CartService {
    rpc GetCart(GetCartRequest) returns (Cart) {}
}
service AdService {
    rpc GetAds(GetAdsRequest) returns (Ads) {}
}

message GetCartRequest { string user_id = 1; }
message Cart { string user_id = 1; }
message GetAdsRequest { string user_id = 1; }
message Ads { string user_id = 1; }
",
    ),
    ("go.mod", "module example.com/shop\n\ngo 1.22\n"),
    (
        "genproto/shop_grpc.pb.go",
        "\
package genproto

type CartServiceClient interface {
\tGetCart(in *GetCartRequest, opts ...CallOption) (*Cart, error)
}

type cartServiceClient struct{}

func NewCartServiceClient() CartServiceClient { return &cartServiceClient{} }

func (c *cartServiceClient) GetCart(in *GetCartRequest, opts ...CallOption) (*Cart, error) { return nil, nil }

type CartServiceServer interface {
\tGetCart(*GetCartRequest) (*Cart, error)
}

type UnimplementedCartServiceServer struct{}

func (UnimplementedCartServiceServer) GetCart(*GetCartRequest) (*Cart, error) { return nil, nil }
",
    ),
    (
        "genproto/shop.pb.go",
        "package genproto\n\ntype GetCartRequest struct{}\n\ntype Cart struct{ UserId string }\n",
    ),
    (
        "cart/main.go",
        "\
package main

import pb \"example.com/shop/genproto\"

type cartService struct {
\tpb.UnimplementedCartServiceServer
}

func (s *cartService) GetCart(in *pb.GetCartRequest) (*pb.Cart, error) { return &pb.Cart{}, nil }
",
    ),
    (
        "frontend/main.go",
        "\
package main

import pb \"example.com/shop/genproto\"

func showCart() {
\tclient := pb.NewCartServiceClient()
\tclient.GetCart(&pb.GetCartRequest{})
}
",
    ),
    (
        "ads/src/main/java/shop/Ads.java",
        "\
package shop;

class AdServiceImpl extends shop.AdServiceGrpc.AdServiceImplBase {
    public void getAds(Object request) {}
}
",
    ),
];

fn shop() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Sell things", &written(FILES)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("shop"), args, "").to_string()
}

#[test]
fn a_contract_reaches_its_stubs_who_answers_and_who_calls() {
    let env = shop();
    expect![[r#"
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	method	cartService.GetCart	cart/main.go:9	implements	cart/main.go:9	0.85
        2	function	showCart	frontend/main.go:5	calls	frontend/main.go:7	0.85
        1	method	CartServiceClient.GetCart	genproto/shop_grpc.pb.go:4	rpc_calls	genproto/shop_grpc.pb.go:4	0.85
        1	method	cartServiceClient.GetCart	genproto/shop_grpc.pb.go:11	rpc_calls	genproto/shop_grpc.pb.go:11	0.85
        1	method	CartServiceServer.GetCart	genproto/shop_grpc.pb.go:14	implements	genproto/shop_grpc.pb.go:14	0.85
        1	method	UnimplementedCartServiceServer.GetCart	genproto/shop_grpc.pb.go:19	implements	genproto/shop_grpc.pb.go:19	0.85
    "#]]
    .assert_eq(&lore(&env, &["impact", "protos/shop.proto:5"]));
    expect![[r#"
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	method	AdServiceImpl.getAds	ads/src/main/java/shop/Ads.java:4	implements	ads/src/main/java/shop/Ads.java:4	0.85
    "#]]
    .assert_eq(&lore(&env, &["impact", "GetAds"]));
    let whole = lore(&env, &["impact", "protos/shop.proto"]);
    for reached in
        ["cartService.GetCart", "showCart", "AdServiceImpl.getAds", "genproto/shop.pb.go"]
    {
        assert!(whole.contains(reached), "{reached} is not in {whole}");
    }
}

#[test]
fn who_answers_a_contract_is_called_through_it() {
    let env = shop();
    expect![[r#"
        # method cartService.GetCart  cart/main.go:9
        # no direct callers among resolved calls
        # called through the contract CartService.GetCart (protos/shop.proto:5) by 1 client:
        #   showCart  frontend/main.go:7
    "#]]
    .assert_eq(&lore(&env, &["callers", "cartService.GetCart"]));
    expect![[r#"
        # rpc CartService.GetCart  protos/shop.proto:5
        # no callees among resolved calls
        # a call may be dispatched to 3 overriding methods:
        #   cartService.GetCart  cart/main.go:9  implements
        #   CartServiceServer.GetCart  genproto/shop_grpc.pb.go:14  implements
        #   UnimplementedCartServiceServer.GetCart  genproto/shop_grpc.pb.go:19  implements
    "#]]
    .assert_eq(&lore(&env, &["callees", "protos/shop.proto:5"]));
    expect![[r#"
        PATH	STEP	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	0	function	showCart	frontend/main.go:5
        1	1	method	CartServiceClient.GetCart	genproto/shop_grpc.pb.go:4	calls	frontend/main.go:7	0.85
        1	2	rpc	CartService.GetCart	protos/shop.proto:5	rpc_calls	genproto/shop_grpc.pb.go:4	0.85
        1	3	method	cartService.GetCart	cart/main.go:9	implements	cart/main.go:9	0.85
    "#]]
    .assert_eq(&lore(&env, &["flow", "showCart", "cartService.GetCart"]));
}

/// A request of the frontend that `function` answers by asking the cart.
fn asking(n: u64, function: &str) -> serde_json::Value {
    let text =
        |name: &str, value: &str| serde_json::json!({"key": name, "value": {"stringValue": value}});
    let rpc = [
        text("rpc.system", "grpc"),
        text("rpc.service", "shop.CartService"),
        text("rpc.method", "GetCart"),
    ];
    let span = |service: &str,
                id: u64,
                parent: u64,
                kind: u64,
                attributes: &[serde_json::Value]| {
        serde_json::json!({
            "resource": {"attributes": [text("service.name", service)]},
            "scopeSpans": [{"spans": [{
                "traceId": format!("{n:032x}"), "spanId": format!("{id:016x}"),
                "parentSpanId": format!("{parent:016x}"), "name": "x", "kind": kind,
                "startTimeUnixNano": "1717149600000000000", "endTimeUnixNano": "1717149600100000000",
                "attributes": attributes}]}]})
    };
    let route = [
        text("http.request.method", "GET"),
        text("http.route", &format!("/{function}")),
        text("code.function.name", function),
    ];
    let id = n * 10;
    serde_json::json!({"resourceSpans": [
        span("frontend", id + 1, 0, 2, &route),
        span("frontend", id + 2, id + 1, 3, &rpc),
        span("cart", id + 3, id + 2, 2, &rpc),
    ]})
}

#[test]
fn calls_of_a_contract_that_production_shows_are_compared_with_those_in_code() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let idle = [("frontend/idle.go", "package main\n\nfunc idle() {}\n")];
    let files: Vec<(&str, &str)> = FILES.iter().copied().chain(idle).collect();
    history.commit("main", &ada, "Sell things", &written(&files)).unwrap();
    let dir = env.dir().join("shop");
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let spans = format!("{}\n{}", asking(1, "showCart"), asking(2, "idle"));
    let _ = env.lore_in(&dir, &["ingest-traces", "-"], &spans).success();
    let output = env.lore_in(&dir, &["traffic", "GetCart", "--json"], "").success();
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let edges = document["data"]["edges"].as_array().unwrap().iter();
    let mut found: Vec<String> =
        edges.map(|it| format!("{} {}", it["source"]["name"], it["in_code"])).collect();
    found.sort();
    assert_eq!(found, ["\"GET /idle\" false", "\"GET /showCart\" true"], "{document:#}");
}
