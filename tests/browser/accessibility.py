"""Every page through axe, at two widths and in both colour schemes, and without horizontal scrolling."""

from axe_playwright_python.sync_playwright import Axe

WIDTHS = (320, 1280)
SCHEMES = ("light", "dark")


def check(browser, cookies, pages):
    """The faults of the pages, a line each, and the numbers of runs and of rules that were checked."""
    faults, runs, rules = [], 0, set()
    for width in WIDTHS:
        for scheme in SCHEMES:
            # The content security policy of the page would refuse axe, which is an injected script.
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
            )
            context.add_cookies(cookies)
            page = context.new_page()
            for address in pages:
                page.goto(address)
                result = Axe().run(page).response
                runs += 1
                rules |= {rule["id"] for kind in ("passes", "violations", "incomplete") for rule in result[kind]}
                where = f"{address} at {width} px, {scheme}"
                faults += [f"{where}: {rule['id']}: {rule['nodes'][0]['html']}" for rule in result["violations"]]
                wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
                if page.evaluate(wide):
                    faults.append(f"{where}: scrolls sideways")
            context.close()
    return faults, runs, len(rules)
