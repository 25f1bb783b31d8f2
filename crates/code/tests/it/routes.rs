//! HTTP routes of the frameworks lore knows, and who answers them.

use crate::{files, linked};
use code::EdgeKind;
use expect_test::{Expect, expect};

/// Every route with its line and the function that answers.
pub fn check(text: &str, expected: Expect) {
    let files = files(text);
    let (facts, linked) = linked(&files);
    let mut lines = Vec::new();
    for (ix, (path, _)) in files.iter().enumerate() {
        for (at, def) in facts[ix].defs.iter().enumerate() {
            if def.kind.word() != "route_handler" {
                continue;
            }
            let route = code::link::Node { file: ix as u32, def: code::facts::DefId(at as u32) };
            let answers = linked
                .edges
                .iter()
                .filter(|edge| edge.kind == EdgeKind::HandlesRoute && edge.source == route)
                .map(|edge| {
                    let of_file = facts[edge.target.file as usize].symbol_path(edge.target.def);
                    let is_file = of_file.is_empty();
                    if is_file { files[edge.target.file as usize].0.clone() } else { of_file }
                });
            let answers = answers.collect::<Vec<_>>().join(", ");
            let name = facts[ix].text(def.name);
            lines.push(format!("{path}:{} {name} <- {answers}\n", def.name_line));
        }
    }
    expected.assert_eq(&lines.concat());
}

#[test]
fn go() {
    check(
        r#"
--- go.mod
module m
--- a.go
package m

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

type API struct{}

func (a *API) Show(w http.ResponseWriter, r *http.Request) {}
func index(w http.ResponseWriter, r *http.Request)         {}

func routes(a *API) {
	r := chi.NewRouter()
	r.Get("/", index)
	r.Route("/users", func(r chi.Router) {
		r.Get("/{id}", a.Show)
		r.Method("POST", "/", http.HandlerFunc(index))
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plain", index)
	cache.Get("key")
}
--- b/b.go
package b

import "github.com/gin-gonic/gin"

func list(c *gin.Context) {}
func run() {
	r := gin.Default()
	v1 := r.Group("/v1")
	v1.GET("/items", auth, list)
}
"#,
        expect![[r#"
            a.go:16 GET / <- index
            a.go:18 GET /users/{id} <- API.Show
            a.go:19 POST /users <- index
            a.go:22 GET /plain <- index
            b/b.go:9 GET /v1/items <- list
        "#]],
    );
}

#[test]
fn javascript() {
    check(
        r#"
--- app.js
import express from 'express';
import { show } from './users.js';
const app = express();
const router = express.Router();
app.use('/api', router);
router.get('/users/:id', auth, show);
app.post('/login', (req, res) => {});
map.get('/no');
--- users.js
export function show(req, res) {}
--- cats.controller.ts
import { Controller, Get, Post } from '@nestjs/common';

@Controller('cats')
export class CatsController {
  @Get(':id')
  one() {}

  @Post()
  create() {}
}
--- web/app/(shop)/items/[id]/route.ts
export async function GET(request: Request) {}
export const POST = async () => {};
"#,
        expect![[r#"
            app.js:6 GET /api/users/:id <- show
            app.js:7 POST /login <- POST /login
            cats.controller.ts:5 GET /cats/:id <- CatsController.one
            cats.controller.ts:8 POST /cats <- CatsController.create
            web/app/(shop)/items/[id]/route.ts:1 GET /items/{id} <- GET
            web/app/(shop)/items/[id]/route.ts:2 POST /items/{id} <- POST
        "#]],
    );
}

#[test]
fn python() {
    check(
        r#"
--- app.py
from flask import Flask, Blueprint
app = Flask(__name__)
bp = Blueprint("x", __name__, url_prefix="/admin")

@app.route("/", methods=["GET", "POST"])
def index(): ...

@bp.get("/users/<id>")
def user(id): ...

@cached("/no")
def other(): ...
--- api.py
from fastapi import APIRouter
router = APIRouter(prefix="/items")

@router.post("/{id}")
async def create(id: int): ...
--- urls.py
from django.urls import path, include
from views import home, Index

urlpatterns = [
    path("home/", home),
    path("index/", Index.as_view()),
    path("sub/", include("other.urls")),
]
--- views.py
def home(request): ...
class Index: ...
--- asgi.py
from starlette.routing import Mount, Route, WebSocketRoute
from views import home

async def user(request): ...

routes = [
    Route("/", home),
    Mount("/users", routes=[Route("/{id}", endpoint=user, methods=["GET", "DELETE"])]),
    WebSocketRoute("/ws", user),
]
"#,
        expect![[r#"
            app.py:5 GET / <- index
            app.py:5 POST / <- index
            app.py:8 GET /admin/users/<id> <- user
            api.py:4 POST /items/{id} <- create
            urls.py:5 ANY /home/ <- home
            urls.py:6 ANY /index/ <- Index
            urls.py:7 MOUNT /sub/ <- 
            asgi.py:7 GET / <- home
            asgi.py:8 GET /users/{id} <- 
            asgi.py:8 DELETE /users/{id} <- 
            asgi.py:9 WS /ws <- user
        "#]],
    );
}

#[test]
fn python_modules_in_folders_without_init() {
    check(
        r#"
--- shop/urls.py
from django.urls import path
from shop.api import views
from . import pages

urlpatterns = [
    path("carts/", views.carts),
    path("items/", views.Items.as_view()),
    path("about/", pages.about),
]
--- shop/pages.py
def about(request): ...
--- shop/api/views.py
def carts(request): ...
class Items: ...
"#,
        expect![[r#"
            shop/urls.py:6 ANY /carts/ <- carts
            shop/urls.py:7 ANY /items/ <- Items
            shop/urls.py:8 ANY /about/ <- about
        "#]],
    );
}

#[test]
fn rust() {
    check(
        r#"
--- src/lib.rs
#[get("/hello/<name>")]
fn hello(name: &str) -> String { String::new() }

async fn list() {}
async fn create() {}
async fn ping() {}

fn app() {
    Router::new().route("/items", get(list).post(create));
    App::new().route("/ping", web::get().to(ping));
}
"#,
        expect![[r#"
            src/lib.rs:9 GET /items <- list
            src/lib.rs:9 POST /items <- create
            src/lib.rs:10 GET /ping <- ping
            src/lib.rs:1 GET /hello/<name> <- hello
        "#]],
    );
}

#[test]
fn java_and_csharp() {
    check(
        r#"
--- A.java
import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/users")
class Users {
    @GetMapping("/{id}") User one() { return null; }
    @RequestMapping(value = "/all", method = RequestMethod.POST) void all() {}
}
--- B.java
import javax.ws.rs.*;

@Path("/books")
class Books {
    @GET @Path("{id}") public Book one() { return null; }
    @DELETE public void none() {}
}
--- C.cs
[ApiController]
[Route("api/[controller]")]
public class OrdersController : ControllerBase
{
    [HttpGet("{id}")]
    public Order Get(int id) => null;

    [HttpPost]
    public void Create() { }
}
--- D.cs
public static class Program
{
    static string Hello() => "";
    public static void Main()
    {
        var api = app.MapGroup("/api");
        api.MapGet("/hello", Hello);
    }
}
"#,
        expect![[r#"
            A.java:6 GET /users/{id} <- Users.one
            A.java:7 POST /users/all <- Users.all
            B.java:5 GET /books/{id} <- Books.one
            B.java:6 DELETE /books <- Books.none
            C.cs:5 GET /api/Orders/{id} <- OrdersController.Get
            C.cs:8 POST /api/Orders <- OrdersController.Create
            D.cs:7 GET /api/hello <- Program.Hello
        "#]],
    );
}

#[test]
fn rails() {
    check(
        r#"
--- config/routes.rb
Rails.application.routes.draw do
  root "pages#home"
  get "/about", to: "pages#about"
  post "login" => "sessions#create"
  resources :users, only: [:index, :show]
  namespace :admin do
    resources :posts, only: [:show]
  end
end
--- app/controllers/pages_controller.rb
class PagesController
  def home; end
  def about; end
end
--- app/controllers/users_controller.rb
class UsersController
  def index; end
  def show; end
end
--- app/controllers/admin/posts_controller.rb
module Admin
  class PostsController
    def show; end
  end
end
"#,
        expect![[r#"
            config/routes.rb:2 GET / <- PagesController.home
            config/routes.rb:3 GET /about <- PagesController.about
            config/routes.rb:4 POST /login <- 
            config/routes.rb:5 GET /users <- UsersController.index
            config/routes.rb:5 GET /users/:id <- UsersController.show
            config/routes.rb:7 GET /admin/posts/:id <- Admin.PostsController.show
        "#]],
    );
}

#[test]
fn echo_and_gorilla_mux() {
    check(
        r#"
--- go.mod
module m
--- echo/echo.go
package echo

import "github.com/labstack/echo/v4"

func list(c echo.Context) error   { return nil }
func remove(c echo.Context) error { return nil }

func run() {
	e := echo.New()
	e.GET("/items", list)
	admin := e.Group("/admin")
	admin.DELETE("/items/:id", remove, middleware)
	e.Any("/health", list)
	e.Get("/not/a/route", list)
}
--- mux/mux.go
package mux

import (
	"net/http"

	"github.com/gorilla/mux"
)

type Shop struct{}

func (s *Shop) Show(w http.ResponseWriter, r *http.Request) {}
func index(w http.ResponseWriter, r *http.Request)          {}

func run(s *Shop) {
	r := mux.NewRouter()
	r.HandleFunc("/", index)
	api := r.PathPrefix("/api").Subrouter()
	api.HandleFunc("/shops/{id}", s.Show).Methods("GET")
	api.Handle("/shops", http.HandlerFunc(index)).Methods("POST")
	r.Handle("/static", Static{})
	r.Handle("/pointer", &Static{})
}

type Static struct{}

func (Static) ServeHTTP(w http.ResponseWriter, r *http.Request) {}
"#,
        expect![[r#"
            echo/echo.go:10 GET /items <- list
            echo/echo.go:12 DELETE /admin/items/:id <- remove
            echo/echo.go:13 ANY /health <- list
            mux/mux.go:16 ANY / <- index
            mux/mux.go:18 GET /api/shops/{id} <- Shop.Show
            mux/mux.go:19 POST /api/shops <- index
            mux/mux.go:20 ANY /static <- Static.ServeHTTP
            mux/mux.go:21 ANY /pointer <- Static.ServeHTTP
        "#]],
    );
}

/// Who takes a prefix and a closure is known by what the closure does.
#[test]
fn go_routes_in_closures_are_below_their_prefix() {
    check(
        r#"
--- go.mod
module m
--- web/web.go
package web

import "m/router"

func list(c *router.Context)   {}
func edit(c *router.Context)   {}
func post(c *router.Context)   {}
func signIn(c *router.Context) {}

func addColumns(m *router.Router) {
	m.Get("/columns", list)
}

func routes(m *router.Router, client *Client) {
	addSecrets := func() {
		m.Group("/secrets", func() {
			m.Get("", list)
			m.Post("/delete", post)
		})
	}
	m.Get("/", list)
	m.Group("/admin", func() {
		// doesn't end here
		m.Combo("/new").Get(list).Post(signIn, post)
		m.Combo("").Get(edit).
			Delete(post)
		m.Group("/{id}", func() {
			m.Methods("GET, HEAD", "/raw", signIn, list)
			m.Any("/any", edit)
		})
		addSecrets()
		addColumns(m)
		client.Get("/not/a/route")
	}, signIn)
	m.Group("/org", func() {
		addSecrets()
	})
	m.PathGroup("/compare/*", func(g *router.Paths) {
		g.MatchPath("GET", "/<base:*>.diff", list)
	})
	m.Get("/inline", func(c *router.Context) { c.Get("/x") })
}
"#,
        expect![[r#"
            web/web.go:32 MOUNT /admin <- addColumns
            web/web.go:11 GET /columns <- list
            web/web.go:17 GET /admin/secrets <- list
            web/web.go:17 GET /org/secrets <- list
            web/web.go:18 POST /admin/secrets/delete <- post
            web/web.go:18 POST /org/secrets/delete <- post
            web/web.go:21 GET / <- list
            web/web.go:24 GET /admin/new <- list
            web/web.go:24 POST /admin/new <- post
            web/web.go:25 GET /admin <- edit
            web/web.go:26 DELETE /admin <- post
            web/web.go:28 GET /admin/{id}/raw <- list
            web/web.go:28 HEAD /admin/{id}/raw <- list
            web/web.go:29 ANY /admin/{id}/any <- edit
            web/web.go:39 GET /compare/<base:*>.diff <- list
            web/web.go:41 GET /inline <- routes.GET /inline
        "#]],
    );
}

/// What takes a verb and a path, or a prefix and a closure, is known by that; the same on
/// what is no router is none.
#[test]
fn go_routers_are_known_by_what_they_take() {
    check(
        r#"
--- go.mod
module m
--- a.go
package m

import (
	"m/router"
	"net/http"
)

func list(c *router.Context) {}

func routes(m *router.Router) {
	m.Below("/a", func() {
		m.Inside("/b/*", func(g *router.Paths) {
			g.Serve("GET", "/c", list)
			http.NewRequest("GET", "/d", nil)
		})
	})
	m.Below("/none", func() {
		http.NewRequest("GET", "/d", nil)
	})
}
"#,
        expect![[r#"
            a.go:13 GET /a/b/c <- list
        "#]],
    );
}

#[test]
fn fastify_and_hono() {
    check(
        r#"
--- fast.ts
import Fastify from 'fastify';
import { show } from './users';
const fastify = Fastify();
fastify.get('/users/:id', show);
fastify.post('/users', { schema: {} }, async (request, reply) => {});
fastify.route({ method: 'DELETE', url: '/users/:id', handler: show });
fastify.route({
  method: "PUT",
  url: "/inline",
  handler(request, reply) {},
});
fastify.route({ method: pick(), url: '/unknown', handler: show });
--- hono.ts
import { Hono } from 'hono';
import { show } from './users';
const app = new Hono();
const books = new Hono();
books.get('/:id', show);
app.route('/books', books);
app.get('/', (c) => c.text('x'));
app.all('/any', show);
--- users.ts
export function show() {}
"#,
        expect![[r#"
            fast.ts:4 GET /users/:id <- show
            fast.ts:5 POST /users <- POST /users
            fast.ts:6 DELETE /users/:id <- show
            fast.ts:7 PUT /inline <- handler
            hono.ts:5 GET /books/:id <- show
            hono.ts:7 GET / <- GET /
            hono.ts:8 ANY /any <- show
        "#]],
    );
}

#[test]
fn mounted_routers_lead_to_what_is_mounted() {
    check(
        r#"
--- go.mod
module m
--- main.go
package m

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

type users struct{}

func (u users) Routes() chi.Router {
	r := chi.NewRouter()
	r.Get("/", u.List)
	return r
}
func (u users) List(w http.ResponseWriter, r *http.Request) {}

func main() {
	r := chi.NewRouter()
	admin := chi.NewRouter()
	admin.Get("/stats", stats)
	r.Mount("/admin", admin)
	r.Mount("/users", users{}.Routes())
	r.Get("/hi", func(w http.ResponseWriter, r *http.Request) { greet() })
}
func stats(w http.ResponseWriter, r *http.Request) {}
func greet()                                       {}
--- web/urls.py
from django.urls import path, include
from shop import views

urlpatterns = [
    path("shop/", include("shop.urls")),
    path("api/", include([path("ping/", views.ping)])),
]
--- shop/__init__.py
--- shop/urls.py
from django.urls import path
from shop import views

urlpatterns = [path("cart/", views.cart)]
--- shop/views.py
def cart(request): ...
def ping(request): ...
--- flaskapp.py
from flask import Flask
from pages import bp
app = Flask(__name__)
app.register_blueprint(bp, url_prefix="/pages")
--- pages.py
from flask import Blueprint
bp = Blueprint("pages", __name__)

@bp.route("/about")
def about(): ...
"#,
        expect![[r#"
            main.go:23 MOUNT /users <- users.Routes
            main.go:13 GET / <- users.List
            main.go:21 GET /admin/stats <- stats
            main.go:24 GET /hi <- main.GET /hi
            web/urls.py:5 MOUNT /shop/ <- shop/urls.py
            web/urls.py:6 ANY /api/ping/ <- ping
            shop/urls.py:4 ANY /cart/ <- cart
            flaskapp.py:4 MOUNT /pages <- bp
            pages.py:4 GET /about <- about
        "#]],
    );
}

#[test]
fn what_of_a_pattern_is_not_written_out_is_shown_as_unknown() {
    check(
        r#"
--- go.mod
module m
--- a.go
package m

import (
	"net/http"

	"github.com/gorilla/mux"
)

func cart(w http.ResponseWriter, r *http.Request) {}

func main() {
	r := mux.NewRouter()
	r.HandleFunc(baseUrl+"/cart", cart).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc(path, cart)
}
--- app.js
import express from 'express';
const app = express();
app.get(`${prefix}/items`, list);
function list(req, res) {}
--- app.py
from fastapi import FastAPI
app = FastAPI()

@app.get(f"{ROOT}/health")
def health(): ...
"#,
        expect![[r#"
            a.go:13 GET {baseUrl}/cart <- cart
            a.go:13 HEAD {baseUrl}/cart <- cart
            app.js:3 GET {prefix}/items <- list
            app.py:4 GET {ROOT}/health <- health
        "#]],
    );
}

#[test]
fn sinatra_and_slim() {
    check(
        r#"
--- app.rb
require 'sinatra'

get '/hi' do
  greet
end

namespace '/api' do
  post '/items' do
    create
  end
end

def greet; end
def create; end
--- test/app_test.rb
require 'sinatra'
def test_it
  get '/hi'
end
--- public/index.php
<?php
use Slim\Factory\AppFactory;
use App\Home;

$app = AppFactory::create();
$app->get('/', Home::class . ':show');
$app->group('/users', function ($group) {
    $group->get('/{id}', [Home::class, 'one']);
    $group->map(['PUT', 'DELETE'], '/{id}', function ($request, $response) { return $response; });
});
$container->get('settings');
--- src/Home.php
<?php
namespace App;
class Home {
    public function show() {}
    public function one() {}
}
"#,
        expect![[r#"
            app.rb:3 GET /hi <- GET /hi
            app.rb:8 POST /api/items <- POST /api/items
            public/index.php:6 GET / <- Home.show
            public/index.php:8 GET /users/{id} <- Home.one
            public/index.php:9 PUT /users/{id} <- PUT /users/{id}
            public/index.php:9 DELETE /users/{id} <- PUT /users/{id}
        "#]],
    );
}

#[test]
fn rust_routers_are_nested_and_mounted() {
    check(
        r#"
--- src/lib.rs
mod users;

async fn list() {}
async fn one() {}

fn app() -> Router {
    let api = Router::new().route("/items", get(list));
    Router::new()
        .nest("/api", api)
        .nest("/users", users::router())
        .nest("/in", Router::new().route("/one", get(one)))
}

#[get("/<id>")]
fn by_id(id: u32) {}

fn rocket() {
    rocket::build().mount("/books", routes![by_id]);
}
--- src/users.rs
pub fn router() -> Router {
    Router::new().route("/me", get(me))
}
async fn me() {}
"#,
        expect![[r#"
            src/lib.rs:7 GET /api/items <- list
            src/lib.rs:11 GET /in/one <- one
            src/lib.rs:14 GET /<id> <- by_id
            src/lib.rs:10 MOUNT /users <- router
            src/lib.rs:18 MOUNT /books <- by_id
            src/users.rs:2 GET /me <- me
        "#]],
    );
}

#[test]
fn subscriptions_to_topics() {
    check(
        r#"
--- go.mod
module m
--- a.go
package m

import "github.com/nats-io/nats.go"

func onOrder(m *nats.Msg) {}

func listen(nc *nats.Conn, name string) {
	nc.Subscribe("orders.created", onOrder)
	nc.QueueSubscribe("orders.*", "workers", func(m *nats.Msg) { onOrder(m) })
	nc.Subscribe(name, onOrder)
}
--- b.py
import pika

def on_invoice(channel, method, properties, body):
    pass

def listen(channel):
    channel.basic_consume(queue="invoices", on_message_callback=on_invoice)
--- d.js
const { Kafka } = require('kafkajs')

async function start(kafka, topicNames) {
  const consumer = kafka.consumer({ groupId: 'a' })
  await consumer.subscribe({ topic: 'payments', fromBeginning: true })
  await consumer.subscribe({ fromBeginning: true, topics: ['refunds', "carts"] })
  await consumer.subscribe({ topics: topicNames })
}
--- c.py
class Feed:
    def subscribe(self, name, handler):
        pass

def listen(feed, handler):
    feed.subscribe("not a queue", handler)
"#,
        expect![[r#"
            a.go:8 TOPIC orders.created <- onOrder
            a.go:9 TOPIC orders.* <- listen.TOPIC orders.*
            b.py:7 TOPIC invoices <- 
            d.js:5 TOPIC payments <- start
            d.js:6 TOPIC refunds <- start
            d.js:6 TOPIC carts <- start
        "#]],
    );
}
