// Renderer, camera, lights and ground. One unit of the view is the length of the machine, its z axis points
// up.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Triple } from "../contract";
import type { Palette } from "../theme";
import { Ground } from "./ground";

export type View = "iso" | "front" | "side" | "top";
const kDirections: Record<View, Triple> = {
  iso: [0.78, -1, 0.55],
  front: [1, 0, 0.02],
  side: [0, -1, 0.02],
  top: [0, -0.002, 1],
};

export class Stage {
  /// Everything of the results, in metres and world axes.
  readonly root = new THREE.Group();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  readonly canvas: HTMLCanvasElement;
  readonly ground: Ground;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly controls: OrbitControls;
  private readonly sky: THREE.CanvasTexture;
  private readonly sky_canvas = document.createElement("canvas");
  private readonly hemisphere = new THREE.HemisphereLight("#ffffff", "#8a93a0", 1.5);
  private readonly sun = new THREE.DirectionalLight("#fffaf0", 2.3);
  private readonly fill = new THREE.DirectionalLight("#dbe8ff", 1.0);
  private pending = 0;
  private lost = false;
  private moving_camera = false;
  /// What the camera was told to show, until somebody turns or zooms.
  private framed: { view: View; box: THREE.Box3; margin: number } | null = null;
  /// Called before each picture: puts everything where it is at the time of the page.
  before_picture: () => void = () => {};
  on_lost: (lost: boolean) => void = () => {};
  /// Called after each picture, for what lies above the canvas.
  after_picture: () => void = () => {};

  constructor(
    private readonly host: HTMLElement,
    gravity: Triple | undefined,
    readonly length: number,
  ) {
    // asked for here, since three.js would write to the console where there is none
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", {
      antialias: true,
      alpha: false,
      powerPreference: "high-performance",
    });
    if (!context) throw new Error("the browser gave no WebGL 2");
    this.renderer = new THREE.WebGLRenderer({ canvas, context, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.canvas = canvas;
    this.canvas.setAttribute(
      "aria-label",
      "three-dimensional view; drag to turn, wheel to zoom, click a body to pick it",
    );
    this.canvas.setAttribute("role", "img");
    this.canvas.tabIndex = 0;
    host.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.minDistance = 0.02;
    this.controls.maxDistance = 4000;
    this.controls.addEventListener("change", () => {
      if (this.moving_camera) return;
      this.framed = null;
      this.draw();
    });

    this.root.scale.set(1 / length, 1 / length, 1 / length);
    this.root.quaternion.copy(upright(gravity));
    this.ground = new Ground(length);
    this.sky_canvas.width = 2;
    this.sky_canvas.height = 256;
    this.sky = new THREE.CanvasTexture(this.sky_canvas);
    this.sky.colorSpace = THREE.SRGBColorSpace;
    this.scene.background = this.sky;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.03;
    this.sun.shadow.bias = -0.0004;
    this.scene.add(this.root, this.ground.group, this.hemisphere, this.sun, this.sun.target, this.fill);

    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // else the browser does not give it back
      this.lost = true;
      this.on_lost(true);
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.on_lost(false);
      this.draw();
    });
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  get target(): THREE.Vector3 {
    return this.controls.target;
  }
  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  paint(palette: Palette): void {
    const context = this.sky_canvas.getContext("2d");
    if (context) {
      const gradient = context.createLinearGradient(0, 0, 0, 256);
      gradient.addColorStop(0, palette.sky[0]);
      gradient.addColorStop(1, palette.sky[1]);
      context.fillStyle = gradient;
      context.fillRect(0, 0, 2, 256);
    }
    this.sky.needsUpdate = true;
    this.ground.paint(palette);
    this.hemisphere.intensity = palette.dark ? 1.6 : 2.1;
    this.hemisphere.groundColor.set(palette.dark ? "#5b6672" : "#b4bcc5");
    this.sun.intensity = palette.dark ? 2.3 : 2.5;
    this.draw();
  }

  resize(): void {
    const width = Math.max(this.host.clientWidth, 2),
      height = Math.max(this.host.clientHeight, 2);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    const changed = this.camera.aspect !== width / height;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    // the page gets its shape after the first look: what was to fit shall fit still
    if (changed && this.framed) this.look(this.framed.view, this.framed.box, this.framed.margin);
    this.draw();
  }

  /// A picture with the next frame of the browser; many calls make one.
  draw(): void {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw_now();
    });
  }

  draw_now(): void {
    if (this.lost) return;
    this.before_picture();
    const distance = this.distance;
    this.camera.near = distance / 300;
    this.camera.far = distance * 60 + 100;
    this.camera.updateProjectionMatrix();
    this.ground.follow(this.target, distance);
    this.light(distance);
    this.renderer.render(this.scene, this.camera);
    this.after_picture();
  }

  private light(distance: number): void {
    const size = Math.min(Math.max(0.6 * distance, 0.7), 40),
      camera = this.sun.shadow.camera;
    this.sun.target.position.copy(this.target);
    this.sun.position.copy(this.target).add(new THREE.Vector3(0.25, -0.75, 1).multiplyScalar(3 * size));
    this.fill.position.copy(this.target).add(new THREE.Vector3(-1, 0.8, 0.35).multiplyScalar(3 * size));
    if (Math.abs(camera.right - size) > 0.1 * size) {
      camera.left = camera.bottom = -size;
      camera.right = camera.top = size;
      camera.near = 0.1 * size;
      camera.far = 8 * size;
      camera.updateProjectionMatrix();
    }
  }

  /// A picture now, of another size if asked: `use` reads the canvas before the size comes back.
  picture<T>(width: number, height: number, use: (canvas: HTMLCanvasElement) => T): T {
    const ratio = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    const aspect = this.camera.aspect;
    this.camera.aspect = width / height;
    try {
      this.draw_now();
      return use(this.canvas);
    } finally {
      this.camera.aspect = aspect;
      this.renderer.setPixelRatio(ratio);
      this.resize();
    }
  }

  /// Looks at a box of the world (metres) from a standard side.
  look(view: View, box: THREE.Box3, margin = 1.2): void {
    if (box.isEmpty()) return;
    this.framed = { view, box: box.clone(), margin };
    const centre = this.to_view(box.getCenter(new THREE.Vector3()));
    const direction = new THREE.Vector3().fromArray(kDirections[view]).normalize();
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360),
      wide = tall * this.camera.aspect;
    // so far that every corner is inside
    let distance = 0.05;
    for (let k = 0; k < 8; ++k) {
      const corner = new THREE.Vector3(
        k & 1 ? box.max.x : box.min.x,
        k & 2 ? box.max.y : box.min.y,
        k & 4 ? box.max.z : box.min.z,
      );
      this.to_view(corner).sub(centre);
      const near = corner.dot(direction);
      distance = Math.max(
        distance,
        (margin * Math.abs(corner.dot(right))) / wide + near,
        (margin * Math.abs(corner.dot(above))) / tall + near,
      );
    }
    this.move_camera(() => {
      this.controls.target.copy(centre);
      this.camera.position.copy(centre).addScaledVector(direction, distance);
    });
  }

  /// Moves camera and target by the same, so that what is followed stays where it is seen.
  shift(by: THREE.Vector3): void {
    if (by.lengthSq() === 0) return;
    this.framed = null;
    this.move_camera(() => {
      this.controls.target.add(by);
      this.camera.position.add(by);
    });
  }

  zoom(factor: number): void {
    this.framed = null;
    this.move_camera(() => {
      const arm = new THREE.Vector3().subVectors(this.camera.position, this.target).multiplyScalar(factor);
      this.camera.position.copy(this.target).add(arm);
    });
  }

  private move_camera(move: () => void): void {
    this.moving_camera = true;
    move();
    this.controls.update();
    this.moving_camera = false;
    this.draw();
  }

  /// A point of the world (metres) in units of the view.
  to_view(point: THREE.Vector3): THREE.Vector3 {
    return point.multiplyScalar(1 / this.length).applyQuaternion(this.root.quaternion);
  }

  pick(x: number, y: number, among: THREE.Object3D[]): { object: THREE.Object3D } | null {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(
      new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2),
      this.camera,
    );
    for (const hit of ray.intersectObjects(among, true)) {
      if (hit.object instanceof THREE.Mesh && hit.object.userData.pick && seen(hit.object))
        return { object: hit.object };
    }
    return null;
  }
}

function seen(object: THREE.Object3D | null): boolean {
  for (let o = object; o; o = o.parent) if (!o.visible) return false;
  return true;
}

/// Turns up (against gravity; z where there is none) to z, and x as near to x as that allows.
function upright(gravity: Triple | undefined): THREE.Quaternion {
  const up = new THREE.Vector3(0, 0, 1);
  if (gravity && Math.hypot(...gravity) > 0) up.fromArray(gravity).multiplyScalar(-1).normalize();
  const x = new THREE.Vector3(1, 0, 0);
  if (Math.abs(up.x) > 0.9) x.set(0, 1, 0);
  x.addScaledVector(up, -x.dot(up)).normalize();
  const y = new THREE.Vector3().crossVectors(up, x);
  // columns x y up take the view to the world: its inverse is wanted
  return new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, y, up)).invert();
}
