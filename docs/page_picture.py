"""Make docs/page.png: the page with a second best tree, faint where the parser is unsure, and a search.

    python docs/page_picture.py

needs the extra ``dev``, Pillow, and a Chromium on the path (or BNAPARSER_CHROMIUM).
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import threading
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright

from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings

TEXT = "I saw the man with the telescope in the park on the hill."
PATTERN = "PP << hill"
TARGET = Path(__file__).parent / "page.png"
PATIENCE = 60_000  # milliseconds


def picture(address: str) -> bytes:
    """The page in a window 900 pixels wide, two dots a pixel."""
    path = os.environ.get("BNAPARSER_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox"])
        window = {"width": 900, "height": 700}
        page = browser.new_page(viewport=window, device_scale_factor=2, reduced_motion="reduce")
        page.goto(f"{address}/#{urlencode({'text': TEXT, 'search': PATTERN})}")
        page.wait_for_selector(".node.found", timeout=PATIENCE)
        page.get_by_role("button", name="The next tree").click()
        page.wait_for_selector("text=Tree 2 of 5", timeout=PATIENCE)
        page.wait_for_load_state("networkidle")
        taken: bytes = page.screenshot(full_page=True)
        browser.close()
    return taken


def main() -> None:
    """Serve the model that ships, and take the picture."""
    server = uvicorn.Server(uvicorn.Config(create_app(ServerSettings()), log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            taken = picture(f"http://127.0.0.1:{listening.getsockname()[1]}")
        finally:
            server.should_exit = True
            thread.join()
    Image.open(io.BytesIO(taken)).convert("RGB").quantize(256).save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
