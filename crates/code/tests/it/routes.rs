//! HTTP routes of the frameworks lore knows, and who answers them.

use crate::{files, linked};
use code::EdgeKind;
use expect_test::{Expect, expect};

/// Every route with its line and the function that answers.
fn check(text: &str, expected: Expect) {
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
                .map(|edge| facts[edge.target.file as usize].symbol_path(edge.target.def));
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
            app.js:7 POST /login <- 
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
"#,
        expect![[r#"
            app.py:5 GET / <- index
            app.py:5 POST / <- index
            app.py:8 GET /admin/users/<id> <- user
            api.py:4 POST /items/{id} <- create
            urls.py:5 ANY /home/ <- home
            urls.py:6 ANY /index/ <- Index
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
